"""Two entries that seem to be the same person or company: merged, or kept as two."""

from django.contrib.auth.models import AbstractBaseUser
from django.utils import timezone

from ..draft import Draft
from ..fields import changed_names
from ..models import document_subject
from ..parties import PartyRow
from .ownership_stakes import hand_over_stakes
from .parties import current_party, known_roles, role_changes
from .shares import raise_holdings_version
from .transactions import Journal, answer_changes, application_transaction


def keep_both(draft: Draft, party: PartyRow, other: PartyRow, *, by: AbstractBaseUser) -> None:
    """Mark two parties as different, so that nobody is asked about them again. Raises Gone, Closed."""
    with application_transaction(draft, by=by) as journal:
        row, beside = current_party(draft, party), current_party(draft, other)
        if beside.token in row.model.apart_from:
            return
        row.model.apart_from = [*row.model.apart_from, beside.token]
        row.model.save()
        journal.note("Kept {name} separate from another entry with the same name", holder=row.token, name=row.label)


def merge_parties(draft: Draft, party: PartyRow, kept: PartyRow, *, by: AbstractBaseUser) -> None:
    """Merge `party` into `kept`, which takes its roles, and the answers, documents and holdings that it lacks.

    `party` is removed, and can be restored with what is left. Raises Gone, Closed.
    """
    with application_transaction(draft, by=by) as journal:
        row, target = current_party(draft, party), current_party(draft, kept)
        before, had, model = target.model.raw, target.model.roles, target.model
        model.roles = known_roles(draft, (*target.roles, *row.roles))
        model.raw = {**row.raw, **before}
        model.version += 1
        model.save()
        _hand_over_documents(draft, row, target)
        _hand_over_holdings(draft, row, target, journal)
        hand_over_stakes(draft, row, target)
        row.model.removed_at = timezone.now()
        row.model.save()
        fields = draft.schema.fields_of(model.kind, model.roles)
        answers = answer_changes(fields, changed_names(before, model.raw), before, model.raw)
        changes = answers + role_changes(had, model.roles)
        journal.note("Merged two entries for {name}", holder=model.token, changes=changes, name=target.label)
        draft.reload()


def _hand_over_documents(draft: Draft, row: PartyRow, target: PartyRow) -> None:
    """Move documents whose slot is free."""
    taken = draft.documents_of(target)
    for slot, document in draft.documents_of(row).items():
        if slot not in taken:
            document.party, document.subject = target.model, document_subject(target.token, slot)
            document.save(update_fields=["party", "subject"])


def _hand_over_holdings(draft: Draft, row: PartyRow, target: PartyRow, journal: Journal) -> None:
    """Move holdings whose cell is free, with a new version of the holdings, so that no earlier page overwrites them."""
    section, changes = draft.schema.share_section, []
    for (holder, share_class), holding in draft.holdings.items():
        if holder == row.token and (target.token, share_class) not in draft.holdings:
            holding.party = target.model
            holding.save(update_fields=["party"])
            of_class = draft.share_class(share_class)
            label = f"{target.label}, {of_class.label}" if of_class else target.label
            line = {"field": f"{target.token}/{share_class}", "label": label, "before": None, "after": holding.typed}
            changes.append(line)
    if section is not None and changes:
        raise_holdings_version(draft, section.key)
        journal.note("Changed shareholdings", holder=section.key, changes=changes)
