"""Add, save, remove, restore and merge people, companies and foundations."""

import logging
from collections.abc import Iterable, Mapping
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext

from formation_portal.contract import canonical
from formation_portal.contract.fields.base import fields_by_name
from formation_portal.contract.record import MAX_PARTIES

from ..access import Author
from ..draft import Draft
from ..fields import changed_answers, new_token, without_blanks
from ..models import ChangeList, Document, Party, Stake, document_subject
from ..ownership_stakes import typed_stakes
from ..parties import PartyRow, name_fields
from .documents import delete_files_on_commit
from .exceptions import Gone, TooManyParties
from .transactions import (
    Journal,
    PageVersion,
    SaveResult,
    answer_changes,
    application_transaction,
    change_line,
)

logger = logging.getLogger(__name__)

# The name of a party's roles among the names of its answers, none of which begins with a colon.
ROLES = ":roles"


def party_room(draft: Draft) -> int:
    """Count the parties that can still be added; negative if the application has more than MAX_PARTIES already."""
    return MAX_PARTIES - draft.application.parties.filter(removed_at=None).count()


def check_party_room(draft: Draft) -> None:
    room = party_room(draft)
    if room <= 0:
        raise TooManyParties(room)


def add_party(
    draft: Draft,
    kind: str,
    roles: Iterable[str],
    raw: Mapping[str, Any],
    *,
    by: AbstractBaseUser,
    token: str | None = None,
) -> Party:
    """Add a party with its roles and the answers given so far. Raises ValueError, TooManyParties, Closed.

    A second post with the same `token` changes the party of the first post, and restores it if it was removed.
    """
    if kind not in canonical.PARTY_KINDS:
        raise ValueError(f"No such kind of party: {kind!r}")
    with application_transaction(draft, by=by) as journal:
        new_roles = known_roles(draft, roles)
        fields = fields_by_name(draft.schema.fields_of(kind, new_roles) or name_fields(draft.schema, kind))
        token = token or new_token()
        is_restored = draft.removed_party(token) is not None
        if is_restored:
            unremove(draft, token)
        party = draft.party_model(token) or Party(application=draft.application, kind=kind, token=token)
        before = party.raw
        locked = journal.locks.answers_of(token)
        posted = journal.accept(fields, without_blanks(raw), where=f"a new {kind}", stored=before, locked=locked)
        if party.pk is None:
            check_party_room(draft)
            last = draft.application.parties.aggregate(last=Max("position", default=0))["last"]
            party.position = last + 1
            draft.party_models.append(party)
        else:
            new_roles = _with_locked_roles(draft, journal, party, new_roles)
            if not is_restored and party.roles == new_roles and not changed_answers(before, posted):
                return party
        party.roles = new_roles
        party.raw = before | posted
        party.save()
        draft.invalidate()
        label = current_party(draft, party).label
        changes = answer_changes(fields, before, posted)
        journal.note("Added {name}", holder=party.token, changes=changes, name=label)
        return party


def save_party(
    draft: Draft,
    party: Party | PartyRow,
    raw: Mapping[str, Any],
    *,
    version: int | None,
    by: Author,
    roles: Iterable[str] | None = None,
    page_version: PageVersion | None = None,
) -> SaveResult:
    """Save a party's posted answers as typed, and its roles if given (ROLES in the result). Raises Gone, Closed."""
    with application_transaction(draft, by=by, page_version=page_version) as journal:
        model = current_party(draft, party).model
        old_roles = model.roles
        wanted_roles = old_roles if roles is None else known_roles(draft, roles)
        new_roles = _with_locked_roles(draft, journal, model, wanted_roles)
        fields = fields_by_name(draft.schema.fields_of(model.kind, (*old_roles, *new_roles)))
        before = model.raw
        locked = journal.locks.answers_of(model.token)
        if new_roles != wanted_roles:
            journal.locked_labels.append(gettext("Roles"))
        posted = journal.accept(fields, raw, where=f"a {model.kind}", stored=before, locked=locked)
        if roles is not None:
            posted[ROLES] = new_roles
        changed = journal.merge(
            before | {ROLES: old_roles},
            posted,
            version=version,
            current=model.version,
            holders=[model.token],
            page_fields=fields,
        )
        if changed:
            model.roles = changed.pop(ROLES, old_roles)
            model.raw = without_blanks(before | changed)
            model.version += 1
            model.save()
            draft.invalidate()
            label = current_party(draft, party).label
            if changes := answer_changes(fields, before, changed):
                journal.note("Changed {name}", holder=model.token, changes=changes, name=label)
            if model.roles != old_roles:
                changes = [change_line(ROLES, "Roles", old_roles, model.roles)]
                journal.note("Changed the roles of {name}", holder=model.token, changes=changes, name=label)
    return journal.result()


def set_roles(draft: Draft, party: Party | PartyRow, roles: Iterable[str], *, by: AbstractBaseUser) -> None:
    """Set a party's roles. Locked roles stay, and so do answers given for a lost role. Raises Gone, Closed."""
    save_party(draft, party, {}, version=None, by=by, roles=roles)


def _with_locked_roles(draft: Draft, journal: Journal, party: Party, roles: list[str]) -> list[str]:
    """Return the given roles, plus the party's present roles if these are locked."""
    if party.token in journal.locks.roles and not set(party.roles) <= set(roles):
        return known_roles(draft, (*roles, *party.roles))
    return roles


def current_party(draft: Draft, party: Party | PartyRow) -> PartyRow:
    """Return the party as it is now. Raises Gone."""
    row = draft.party(party.token)
    if row is None:
        raise Gone(gettext("This person or company was removed"))
    return row


def unremove(draft: Draft, token: str) -> None:
    """Restore a removed party, within the caller's transaction. Raises Gone, TooManyParties."""
    row = draft.removed_party(token)
    if row is None:
        raise Gone(gettext("This person or company was deleted"))
    check_party_room(draft)
    row.model.removed_at = None
    row.model.save()
    draft.reload()


def known_roles(draft: Draft, roles: Iterable[str]) -> list[str]:
    """Return the roles that the schema has a section for, in the schema's order."""
    requested = set(roles)
    in_form = dict.fromkeys(section.role or "" for section in draft.schema.sections_of(tuple(requested)))
    if unknown := requested - in_form.keys():
        logger.warning("Ignored %d roles that the form does not have", len(unknown))
    return list(in_form)


def remove_party(draft: Draft, party: Party | PartyRow, *, by: AbstractBaseUser) -> None:
    """Remove a party with its holdings and documents, which can be restored with it. Raises Gone, Closed."""
    with application_transaction(draft, by=by) as journal:
        row = current_party(draft, party)
        fields = fields_by_name(draft.schema.fields_of(row.kind, row.roles))
        changes = answer_changes(fields, row.raw, dict.fromkeys(row.raw))
        journal.note("Removed {name}", holder=row.token, changes=changes, name=row.label)
        row.model.removed_at = timezone.now()
        row.model.save()
        draft.reload()


def restore_party(draft: Draft, token: str, *, by: AbstractBaseUser) -> PartyRow:
    """Restore a removed party as it was. No-op for a party that is not removed. Raises Gone, TooManyParties, Closed."""
    with application_transaction(draft, by=by) as journal:
        if (row := draft.party(token)) is not None:
            return row
        unremove(draft, token)
        row = draft.party(token)
        assert row is not None
        fields = fields_by_name(draft.schema.fields_of(row.kind, row.roles))
        changes = answer_changes(fields, {}, row.raw)
        journal.note("Restored {name}", holder=token, changes=changes, name=row.label)
        return row


def delete_removed_parties(draft: Draft) -> None:
    """Delete removed parties and their files for good, within the caller's transaction."""
    if not draft.removed_party_models:
        return
    removed = [model.pk for model in draft.removed_party_models]
    delete_files_on_commit(Document.objects.filter(party__in=removed))
    draft.application.parties.filter(pk__in=removed).delete()
    draft.reload()


def keep_both(draft: Draft, party: PartyRow, other: PartyRow, *, by: AbstractBaseUser) -> None:
    """Mark two parties as different, so that nobody is asked about them again. Raises Gone, Closed."""
    with application_transaction(draft, by=by) as journal:
        row = current_party(draft, party)
        beside = current_party(draft, other)
        if beside.token not in row.model.apart_from:
            row.model.apart_from = [*row.model.apart_from, beside.token]
            row.model.save()
            text = "Kept {name} separate from another entry with the same name"
            journal.note(text, holder=row.token, name=row.label)


def merge_parties(draft: Draft, party: PartyRow, other: PartyRow, *, by: AbstractBaseUser) -> None:
    """Merge `party` into `other`: move what `other` lacks, then remove `party` with the rest. Raises Gone, Closed."""
    with application_transaction(draft, by=by) as journal:
        row = current_party(draft, party)
        target = current_party(draft, other)
        model = target.model
        before = model.raw
        old_roles = model.roles
        model.roles = known_roles(draft, (*target.roles, *row.roles))
        model.raw = {**row.raw, **before}
        model.version += 1
        model.save()
        _hand_over_documents(draft, row, target)
        _hand_over_holdings(draft, row, target, journal)
        _hand_over_stakes(draft, row, target)
        row.model.removed_at = timezone.now()
        row.model.save()
        fields = fields_by_name(draft.schema.fields_of(model.kind, model.roles))
        changes = answer_changes(fields, before, model.raw)
        if model.roles != old_roles:
            changes.append(change_line(ROLES, "Roles", old_roles, model.roles))
        journal.note("Merged two entries for {name}", holder=model.token, changes=changes, name=target.label)
        draft.reload()


def _hand_over_documents(draft: Draft, row: PartyRow, target: PartyRow) -> None:
    """Move documents to the target's free slots."""
    taken = draft.documents_of(target)
    for slot, document in draft.documents_of(row).items():
        if slot not in taken:
            document.party, document.subject = target.model, document_subject(target.token, slot)
            document.save(update_fields=["party", "subject"])


def _hand_over_holdings(draft: Draft, row: PartyRow, target: PartyRow, journal: Journal) -> None:
    """Move holdings of classes that the target has none of. A new version keeps older pages from overwriting them."""
    section, labels = draft.schema.share_section, draft.labels
    changes: ChangeList = []
    for (holder, share_class), holding in draft.holdings.items():
        if holder == row.token and (target.token, share_class) not in draft.holdings:
            holding.party = target.model
            holding.save(update_fields=["party"])
            label = f"{target.label}, {labels[share_class]}"
            changes.append(change_line(f"{target.token}/{share_class}", label, None, holding.typed))
    if section is not None and changes:
        version_row = draft.section_row(section.key)
        version_row.version += 1
        version_row.save()
        journal.note("Changed shareholdings", holder=section.key, changes=changes)


def _hand_over_stakes(draft: Draft, row: PartyRow, target: PartyRow) -> None:
    """Copy the party's stakes, and those of others in it, to the target, except where the target has such a stake."""
    typed = typed_stakes(draft)
    parties = draft.parties_by_token | {row.token: target}
    for (company_token, owner_token), text in typed.items():
        company, owner = parties[company_token], parties[owner_token]
        if company.token != owner.token and (company.token, owner.token) not in typed:
            Stake.objects.create(application=draft.application, company=company.model, owner=owner.model, typed=text)
