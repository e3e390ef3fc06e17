"""Save who owns a company that holds shares: stored as typed, never sent."""

from collections.abc import Mapping

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from formation_portal.contract.fields.parsing import is_blank
from formation_portal.contract.localisation import gettext

from ..draft import Draft
from ..models import Stake
from ..ownership_stakes import typed_stakes
from ..parties import PartyRow, name_answers
from .concurrency import KeptTheirs, PageVersion, compare_versions
from .exceptions import Gone
from .parties import add_party, current_party
from .shares import MAX_NUMBER_LENGTH
from .transactions import application_transaction

_KEY_PREFIX = "owner/"
# Owners have no version of their own: with this one the history is read whenever something differs.
ALWAYS_COMPARE = -1


def save_owners(
    draft: Draft,
    company: PartyRow,
    typed: Mapping[str, str],
    *,
    by: AbstractBaseUser,
    version: int | None = None,
    page_version: PageVersion | None = None,
) -> KeptTheirs:
    """Save the part of each owner as typed, by their tokens; an empty text removes one. Other owners stay.

    Returns the tokens of those that others have changed since and this page has not. Raises Stale (names are tokens),
    Closed, and Gone, also for an owner that is removed or is the company itself.
    """
    with application_transaction(draft, by=by, page_version=page_version) as journal:
        row = current_party(draft, company)
        parties = {model.token: model for model in draft.party_models if model.token != row.token}
        if not typed.keys() <= parties.keys():
            raise Gone(gettext("This person or company was removed"))
        stored = {owner: text for (of, owner), text in typed_stakes(draft).items() if of == row.token}
        owners, kept_theirs = compare_versions(
            draft.application,
            version=version,
            current=0,
            stored=stored,
            posted=typed,
            holders=[row.token],
            page_version=page_version,
            history_key=_history_key,
        )
        labels = {one.token: one.label for one in draft.parties}
        changes = [
            {"field": _history_key(owner), "label": labels[owner], "before": stored.get(owner), "after": typed[owner]}
            for owner in owners
        ]
        for owner in owners:
            _store_stake(draft, row, parties[owner].pk, typed[owner])
        if changes:
            journal.note("Changed who owns {name}", holder=row.token, changes=changes, name=row.label)
        return kept_theirs


def _history_key(owner: str) -> str:
    return f"{_KEY_PREFIX}{owner}"


def _store_stake(draft: Draft, company: PartyRow, owner: int, text: str) -> None:
    place = {"company_id": company.model.pk, "owner_id": owner}
    if is_blank(text):
        Stake.objects.filter(**place).delete()
        return
    text = text[:MAX_NUMBER_LENGTH]
    Stake.objects.update_or_create(
        **place, defaults={"typed": text}, create_defaults={"typed": text, "application": draft.application}
    )


def add_owner(
    draft: Draft,
    company: PartyRow,
    kind: str,
    names: Mapping[str, str],
    part: str,
    *,
    by: AbstractBaseUser,
    token: str,
    version: int | None = None,
    page_version: PageVersion | None = None,
) -> None:
    """Add a party without a role that owns a part of the company. A second post adds nothing. Raises Gone, Closed."""
    with transaction.atomic():
        if draft.party(company.token) is None:
            raise Gone("The company was removed")
        there = next((one for one in draft.party_models if one.token == token), None)
        add_party(
            draft, kind, there.roles if there else (), name_answers(draft.schema, kind, names), by=by, token=token
        )
        save_owners(draft, company, {token: part}, by=by, version=version, page_version=page_version)


def hand_over_stakes(draft: Draft, row: PartyRow, stays: PartyRow) -> None:
    """Move the stakes that a party owns, and those in it, to another party that has none there."""
    typed = typed_stakes(draft)
    for (company, owner), text in typed.items():
        new = (stays.token if company == row.token else company, stays.token if owner == row.token else owner)
        if new not in typed and new[0] != new[1]:
            pks = {model.token: model.pk for model in draft.party_models}
            Stake.objects.create(
                application=draft.application, company_id=pks[new[0]], owner_id=pks[new[1]], typed=text
            )
