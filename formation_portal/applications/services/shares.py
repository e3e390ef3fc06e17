"""Save share classes, holdings, and the owners of companies that hold shares. The service never gets owners."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.utils.translation import gettext

from formation_portal.contract.fields.base import fields_by_name
from formation_portal.contract.fields.parsing import is_blank
from formation_portal.contract.fields.values import AnswerError
from formation_portal.contract.ownership import parse_stake
from formation_portal.contract.shares import parse_number_of_shares

from ..access import Author
from ..draft import Draft
from ..fields import changed_answers, new_token, without_blanks
from ..models import ChangeList, Holding, ShareClass
from ..ownership_stakes import OWNER_PREFIX, exceed_whole, typed_stakes
from ..parties import PartyRow, ShareClassRow, name_answers
from ..stored_rows import find_row
from .exceptions import Gone, LockedByReview, SharesExceedWhole
from .parties import add_party, current_party
from .transactions import (
    Journal,
    PageVersion,
    SaveResult,
    answer_changes,
    application_transaction,
    change_line,
)

# The most characters that are stored of a typed number.
MAX_NUMBER_LENGTH = 200
# Owners have no version: with this value, every save that differs is compared with the history.
ALWAYS_COMPARE = -1


def add_share_class(
    draft: Draft,
    raw: Mapping[str, Any],
    *,
    by: AbstractBaseUser,
    token: str | None = None,
    page_version: PageVersion | None = None,
) -> SaveResult:
    """Add a share class; with a `token` a second post is harmless, as in `add_party`. Raises Closed."""
    with application_transaction(draft, by=by, page_version=page_version) as journal:
        _refuse_if_locked(draft, journal)
        fields = fields_by_name(draft.schema.share_class_fields)
        posted = without_blanks(journal.accept(fields, raw, where="a new share class"))
        model = find_row(draft.share_class_models, token)
        if model is None:
            position = max((model.position for model in draft.share_class_models), default=0) + 1
            model = ShareClass(application=draft.application, token=token or new_token(), position=position)
            draft.share_class_models.append(model)
        elif model.raw == posted:
            return journal.result()
        before = model.raw
        model.raw = posted
        model.save()
        draft.invalidate()
        label = _current_share_class(draft, model).label
        changes = answer_changes(fields, before, posted)
        journal.note("Added the share class {name}", holder=model.token, changes=changes, name=label)
    return journal.result()


def save_share_class(
    draft: Draft,
    share_class: ShareClass | ShareClassRow,
    raw: Mapping[str, Any],
    *,
    version: int,
    by: Author,
    page_version: PageVersion | None = None,
) -> SaveResult:
    """Save the posted answers of a share class as typed. Raises Gone, Closed."""
    with application_transaction(draft, by=by, page_version=page_version) as journal:
        model = _current_share_class(draft, share_class).model
        _refuse_if_locked(draft, journal)
        fields = fields_by_name(draft.schema.share_class_fields)
        before = model.raw
        changed = journal.merge(
            before,
            journal.accept(fields, raw, where="a share class", stored=before),
            version=version,
            current=model.version,
            holders=[model.token],
            page_fields=fields,
        )
        if changed:
            model.raw = without_blanks(before | changed)
            model.version += 1
            model.save()
            draft.invalidate()
            label = _current_share_class(draft, share_class).label
            changes = answer_changes(fields, before, changed)
            journal.note("Changed the share class {name}", holder=model.token, changes=changes, name=label)
    return journal.result()


def remove_share_class(draft: Draft, share_class: ShareClass | ShareClassRow, *, by: AbstractBaseUser) -> None:
    """Remove a class with its holdings; answers that name it have to be chosen again. Raises Gone, Closed."""
    with application_transaction(draft, by=by) as journal:
        row = _current_share_class(draft, share_class)
        _refuse_if_locked(draft, journal)
        fields = fields_by_name(draft.schema.share_class_fields)
        changes = answer_changes(fields, row.raw, dict.fromkeys(row.raw))
        journal.note("Removed the share class {name}", holder=row.token, changes=changes, name=row.label)
        row.model.delete()
        draft.reload()


def save_holdings(
    draft: Draft,
    typed: Mapping[tuple[str, str], str],
    *,
    by: AbstractBaseUser,
    version: int | None = None,
    page_version: PageVersion | None = None,
) -> SaveResult:
    """Save the posted numbers of shares as typed, by the tokens of party and class. Raises Closed."""
    section = draft.schema.share_section
    if section is None:
        return SaveResult()
    with application_transaction(draft, by=by, page_version=page_version) as journal:
        posted = {pair: text for pair, text in typed.items() if draft.party(pair[0]) and draft.share_class(pair[1])}
        stored = draft.typed_holdings()
        if changed_answers(stored, posted):
            _refuse_if_locked(draft, journal)
        changed = journal.merge(
            stored,
            posted,
            version=version,
            current=draft.version(section.key),
            holders=[section.key],
            history_names={pair: "/".join(pair) for pair in posted},
        )
        labels = draft.labels
        changes: ChangeList = []
        for pair, text in changed.items():
            _store_holding(draft, pair, text)
            label = f"{labels[pair[0]]}, {labels[pair[1]]}"
            changes.append(change_line("/".join(pair), label, stored.get(pair), text))
        if changes:
            version_row = draft.section_row(section.key)
            version_row.version += 1
            version_row.save()
            journal.note("Changed shareholdings", holder=section.key, changes=changes)
    return journal.result()


def _store_holding(draft: Draft, pair: tuple[str, str], text: str) -> None:
    holding = draft.holdings.get(pair)
    if is_blank(text):
        if holding:
            draft.holdings.pop(pair).delete()
        return
    if holding is None:
        party, share_class = find_row(draft.party_models, pair[0]), find_row(draft.share_class_models, pair[1])
        holding = Holding(application=draft.application, party=party, share_class=share_class)
    # No number has so many digits; of other text the beginning is enough.
    holding.typed = text[:MAX_NUMBER_LENGTH]
    holding.shares = parse_shares(text)
    holding.save()
    draft.holdings[pair] = holding


def parse_shares(text: str) -> int | None:
    """Parse a whole number of at least one; None for any other text. A typed 0 is stored and counts as no shares."""
    try:
        # The page words the error itself, with the name of the number.
        return parse_number_of_shares(text, of="")
    except AnswerError:
        return None


def _refuse_if_locked(draft: Draft, journal: Journal) -> None:
    if journal.locks.has_shares(draft):
        raise LockedByReview


def _current_share_class(draft: Draft, share_class: ShareClass | ShareClassRow) -> ShareClassRow:
    row = draft.share_class(share_class.token)
    if row is None:
        raise Gone(gettext("The share class was removed"))
    return row


def save_owners(
    draft: Draft,
    company: PartyRow,
    typed: Mapping[str, str],
    *,
    by: AbstractBaseUser,
    version: int | None = None,
    page_version: PageVersion | None = None,
) -> SaveResult:
    """Save each owner's stake as typed, by owner token; an empty text removes the owner. Other owners stay.

    Raises Closed, SharesExceedWhole, and Gone if company or owner was removed.
    """
    with application_transaction(draft, by=by, page_version=page_version) as journal:
        row = current_party(draft, company)
        if not typed.keys() <= draft.parties_by_token.keys() - {row.token}:
            raise Gone(gettext("This person or company was removed"))
        stored = {owner: text for (owned, owner), text in typed_stakes(draft).items() if owned == row.token}
        names = {owner: f"{OWNER_PREFIX}{owner}" for owner in typed}
        changed = journal.merge(stored, typed, version=version, current=0, holders=[row.token], history_names=names)
        if changed and exceed_whole(map(_parsed_stake, (stored | changed).values())):
            raise SharesExceedWhole
        labels = draft.labels
        changes: ChangeList = []
        for owner, text in changed.items():
            stakes = draft.application.stakes
            pair: dict[str, Any] = {"company": row.model, "owner": draft.parties_by_token[owner].model}
            if is_blank(text):
                stakes.filter(**pair).delete()
            else:
                stakes.update_or_create(**pair, defaults={"typed": text[:MAX_NUMBER_LENGTH]})
            changes.append(change_line(names[owner], labels[owner], stored.get(owner), text))
        if changes:
            journal.note("Changed who owns {name}", holder=row.token, changes=changes, name=row.label)
    return journal.result()


def _parsed_stake(text: str) -> Fraction | None:
    try:
        return parse_stake(text, of="")
    except AnswerError:
        return None


def add_owner(
    draft: Draft,
    company: PartyRow,
    kind: str,
    names: Mapping[str, str],
    part: str,
    *,
    by: AbstractBaseUser,
    token: str,
) -> None:
    """Add a party without roles as an owner; a second post is harmless. Raises as `add_party` and `save_owners` do."""
    with transaction.atomic():
        current_party(draft, company)
        party = draft.party(token)
        roles = party.roles if party else ()
        add_party(draft, kind, roles, name_answers(draft.schema, kind, names), by=by, token=token)
        save_owners(draft, company, {token: part}, by=by)
