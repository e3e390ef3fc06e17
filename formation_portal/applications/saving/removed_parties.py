"""Removing parties, restoring them, and deleting those that are removed for good."""

from django.contrib.auth.models import AbstractBaseUser
from django.utils import timezone

from ..drafts import Draft
from ..models import Document, Party
from ..rows import PartyRow, References
from .documents import forget_files
from .parties import found_party, unremove
from .writing import changes_of, writing


def remove_party(draft: Draft, party: Party | PartyRow, *, by: AbstractBaseUser) -> References:
    """Remove a party with its holdings and documents, which are returned. Raises Gone, Closed.

    All of it is kept, and counts nowhere, until it is restored or the application is submitted.
    """
    with writing(draft, by=by) as journal:
        row = found_party(draft, party)
        gone = draft.references_to_party(row.token)
        fields = draft.schema.fields_of(row.kind, row.roles)
        changes = changes_of(fields, row.raw, row.raw, {})
        journal.note("Removed {name}", holder=row.token, changes=changes, name=row.label)
        row.model.removed_at = timezone.now()
        row.model.save()
        draft.reload()
        return gone


def restore_party(draft: Draft, token: str, *, by: AbstractBaseUser) -> PartyRow:
    """Bring a removed party back, as it was. Nothing happens to one that is there. Raises Gone, Closed."""
    with writing(draft, by=by) as journal:
        if (row := draft.party(token)) is not None:
            return row
        unremove(draft, token)
        row = draft.party(token)
        assert row is not None
        fields = draft.schema.fields_of(row.kind, row.roles)
        changes = changes_of(fields, row.raw, {}, row.raw)
        journal.note("Restored {name}", holder=token, changes=changes, name=row.label)
        return row


def delete_removed_parties(draft: Draft) -> None:
    """Delete what was removed for good, with its files, within a change that nobody can take back."""
    if not draft.removed_party_models:
        return
    removed = [model.pk for model in draft.removed_party_models]
    forget_files(Document.objects.filter(party__in=removed))
    draft.application.parties.filter(pk__in=removed).delete()
    draft.reload()
