"""Two entries of the same person or company: made one, or kept as two."""

from django.contrib.auth.models import AbstractBaseUser
from django.utils import timezone

from ..answers import differing
from ..drafts import Draft
from ..models import document_subject
from ..rows import PartyRow
from .parties import found_party, known_roles
from .writing import changes_of, writing


def keep_both(draft: Draft, party: PartyRow, other: PartyRow, *, by: AbstractBaseUser) -> None:
    """Two different ones: nobody is asked about them again. Raises Gone, Closed."""
    with writing(draft, by=by) as journal:
        row, beside = found_party(draft, party), found_party(draft, other)
        if beside.token in row.model.apart_from:
            return
        row.model.apart_from = [*row.model.apart_from, beside.token]
        row.model.save()
        journal.note(f"Kept {row.label} apart from another entry of that name", holder=row.token)


def unite_parties(draft: Draft, party: PartyRow, kept: PartyRow, *, by: AbstractBaseUser) -> None:
    """Make one of two: `kept` takes the roles, and the answers, documents and holdings that it lacks.

    `party` is removed, and can be restored with what was left to it. Raises Gone, Closed.
    """
    with writing(draft, by=by) as journal:
        row, stays = found_party(draft, party), found_party(draft, kept)
        before, model = stays.model.raw, stays.model
        model.roles = known_roles(draft, (*stays.roles, *row.roles))
        model.raw = {**row.raw, **before}
        model.version += 1
        model.save()
        _hand_over(draft, row, stays)
        row.model.removed_at = timezone.now()
        row.model.save()
        fields = draft.schema.fields_of(model.kind, model.roles)
        changes = changes_of(fields, differing(before, model.raw), before, model.raw)
        journal.note(f"Made one of two entries of {stays.label}", holder=model.token, changes=changes)
        draft.reload()


def _hand_over(draft: Draft, row: PartyRow, stays: PartyRow) -> None:
    """Documents and holdings go over where their place is free."""
    taken = draft.documents_of(stays)
    for slot, document in draft.documents_of(row).items():
        if slot not in taken:
            document.party, document.subject = stays.model, document_subject(stays.token, slot)
            document.save(update_fields=["party", "subject"])
    for (holder, share_class), holding in draft.holdings.items():
        if holder == row.token and (stays.token, share_class) not in draft.holdings:
            holding.party = stays.model
            holding.save(update_fields=["party"])
