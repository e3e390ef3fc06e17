"""Entering and changing people, companies and foundations."""

import logging
from collections.abc import Iterable, Mapping
from typing import Any

from django.contrib.auth.models import AbstractBaseUser

from formation_portal.contract import canonical
from formation_portal.contract.language import say

from ..answers import differing, without_blanks
from ..drafts import Draft
from ..models import ChangeList, Party
from ..naming import naming_fields
from ..rows import PartyRow
from ..tokens import new_token
from .authors import Author
from .elsewhere import Left, Seen, refuse_if_stale
from .refusals import Gone
from .writing import Journal, changes_of, taken, unlocked, writing

logger = logging.getLogger(__name__)

# What the history calls the roles of a party, beside the names of answers, none of which begins with a colon.
ROLES = ":roles"


def add_party(
    draft: Draft,
    kind: str,
    roles: Iterable[str],
    raw: Mapping[str, Any],
    *,
    by: AbstractBaseUser,
    token: str | None = None,
) -> Party:
    """A new party with its roles and whatever is filled in.

    A page that carries a `token` of its own makes posting twice harmless: the second post changes the first one's
    party, and restores it where it was removed meanwhile. Raises ValueError for a kind that does not exist; raises
    Closed.
    """
    if kind not in canonical.PARTY_KINDS:
        raise ValueError(f"No such kind of party: {kind!r}")
    with writing(draft, by=by) as journal:
        known = known_roles(draft, roles)
        fields = draft.schema.fields_of(kind, known) or naming_fields(draft.schema, kind)
        is_restored = token in {one.token for one in draft.removed_party_models}
        if is_restored:
            unremove(draft, str(token))
        party = next((one for one in draft.party_models if one.token == token), None)
        asked = without_blanks(taken(draft, fields, raw, by=by, where=f"a new {kind}"))
        posted = unlocked(draft, journal, fields, asked, stored=party.raw if party else {}, holder=token or "")
        if party is not None:
            known = _with_locked(draft, journal, party, known)
        if party is None:
            entered = (*draft.party_models, *draft.removed_party_models)
            position = max((one.position for one in entered), default=0) + 1
            party = Party(application=draft.application, kind=kind, token=token or new_token(), position=position)
            draft.party_models.append(party)
        elif not is_restored and party.roles == known and not differing(party.raw, posted):
            return party
        before, party.roles, party.raw = party.raw, known, party.raw | posted
        party.save()
        draft.forget()
        row = draft.party(party.token)
        assert row is not None
        changes = changes_of(fields, differing(before, posted), before, posted)
        journal.note("Added {name}", holder=party.token, changes=changes, name=row.label)
        return party


def save_party(
    draft: Draft,
    party: Party | PartyRow,
    raw: Mapping[str, Any],
    *,
    version: int,
    by: Author,
    roles: Iterable[str] | None = None,
    seen: Seen | None = None,
) -> Left:
    """Keep what was posted about a party, as typed, and its roles where they are given.

    Answers to the questions of a new role are kept too. The names of what others have changed since, and the page
    hasn't, are returned. Raises Stale (the roles are called ROLES), Gone, Closed.
    """
    with writing(draft, by=by, seen=seen) as journal:
        model = found_party(draft, party).model
        had = model.roles
        known = had if roles is None else _with_locked(draft, journal, model, known_roles(draft, roles))
        fields = draft.schema.fields_of(model.kind, (*had, *known))
        before = model.raw
        asked = taken(draft, fields, raw, by=by, where=f"a {model.kind}", stored=before)
        posted = unlocked(draft, journal, fields, asked, stored=before, holder=model.token)
        posted |= {} if roles is None else {ROLES: known}
        found = refuse_if_stale(
            draft.application,
            version=version,
            stands=model.version,
            stored=before | {ROLES: had},
            posted=posted,
            holders=[model.token],
            seen=seen,
        )
        if not found.names:
            return found.left
        answered = [name for name in found.names if name != ROLES]
        model.raw = without_blanks(before | {name: posted[name] for name in answered})
        model.roles = known if ROLES in found.names else had
        model.version += 1
        model.save()
        draft.forget()
        _note(journal, found_party(draft, party), changes_of(fields, answered, before, posted), had)
        return found.left


def _note(journal: Journal, row: PartyRow, changes: ChangeList, had: list[str]) -> None:
    """One entry for the answers, and one for the roles."""
    if changes:
        journal.note("Changed {name}", holder=row.token, changes=changes, name=row.label)
    if of_roles := changes_of_roles(had, row.model.roles):
        journal.note("Changed the roles of {name}", holder=row.token, changes=of_roles, name=row.label)


def changes_of_roles(before: list[str], after: list[str]) -> ChangeList:
    """The history's line for changed roles; none where they are the same."""
    return [{"field": ROLES, "label": "Roles", "before": before, "after": after}] if before != after else []


def set_roles(draft: Draft, party: Party | PartyRow, roles: Iterable[str], *, by: AbstractBaseUser) -> None:
    """Give a party these roles and no others. Answers of a role that it loses stay. Raises Gone, Closed."""
    with writing(draft, by=by) as journal:
        row = found_party(draft, party)
        model, before = row.model, row.model.roles
        known = _with_locked(draft, journal, model, known_roles(draft, roles))
        if known == before:
            return
        model.roles = known
        model.version += 1
        model.save()
        _note(journal, row, [], before)


def _with_locked(draft: Draft, journal: Journal, party: Party, wanted: list[str]) -> list[str]:
    """The wanted roles, and those that the party has where they were accepted."""
    missing = [role for role in party.roles if role not in wanted]
    if not missing or party.token not in journal.locks.roles:
        return wanted
    draft.held.append(say("Roles"))
    return known_roles(draft, (*wanted, *party.roles))


def found_party(draft: Draft, party: Party | PartyRow) -> PartyRow:
    """The party as it stands now. Raises Gone."""
    row = draft.party(party.token)
    if row is None:
        raise Gone(say("This person or company was removed"))
    return row


def unremove(draft: Draft, token: str) -> None:
    """Take the mark off a removed party, within a change. Raises Gone."""
    model = next((one for one in draft.removed_party_models if one.token == token), None)
    if model is None:
        raise Gone(say("This person or company was deleted"))
    model.removed_at = None
    model.save()
    draft.reload()


def known_roles(draft: Draft, roles: Iterable[str]) -> list[str]:
    """The roles that the schema has a section for, once each, in its order."""
    wanted = set(roles)
    known = [section.role for section in draft.schema.role_sections if section.role in wanted]
    if len(set(known)) < len(wanted):
        logger.warning("Ignored %d roles that the form does not have", len(wanted - set(known)))
    return [role for role in dict.fromkeys(known) if role]
