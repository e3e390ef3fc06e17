"""Erase a draft, a closed application, a party, or our copies of files that the formation service has.

An empty row, codes and times remain, which tell nothing about a person. `privacy` decides what may be erased.
"""

from collections.abc import Collection, Iterable
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from formation_portal import workflow
from formation_portal.audit import chain
from formation_portal.audit.models import AuditAction
from formation_portal.core.overwriting import overwrite_deleted

from ..access import Author
from ..draft import open_draft
from ..models import Application, Change, Document, Preview
from .documents import delete_files_on_commit
from .exceptions import Gone, Unread
from .transactions import application_transaction

# Replaces a name in the history.
PSEUDONYM = "[erased]"


def erase_content(application: Application) -> None:
    """Delete all rows and files of an application, except what other packages keep (`application_erased`)."""
    workflow.application_erased(application)
    delete_files_on_commit(application.documents.all())
    for rows in (
        application.documents,
        application.holdings,
        application.parties,
        application.party_imports,
        application.share_classes,
        application.section_answers,
        application.changes,
        application.collaborators,
    ):
        rows.all().delete()
    application.declaration, application.hold_reason = "", None
    overwrite_deleted()


def erase_application(application: Application, *, by: Author | None, reason: str) -> None:
    """Erase a closed application; `reason` is a code for the audit log. Raises Unread if it changed or is on hold."""
    with transaction.atomic():
        locked = Application.objects.select_for_update().get(pk=application.pk)
        if locked.revision != application.revision or locked.deleted_at or locked.hold_reason is not None:
            raise Unread([])
        erase_content(locked)
        locked.deleted_at = timezone.now()
        locked.revision += 1
        locked.save()
        chain.append(AuditAction.ERASURE, by=by, application=locked, deleted=True, reason=reason)


def erase_party(application: Application, token: str, *, by: Author | None) -> None:
    """Erase a party, even a removed one: answers, files, holdings, invitation, reviews, names in the history.

    Raises Gone. While the application is open the service is told too: at once or, after a return,
    when the customer submits the corrections.
    """
    with transaction.atomic():
        draft = open_draft(application)
        with application_transaction(draft, by=by, must_be_open=False) as journal:
            party = application.parties.filter(token=token).first()
            if party is None:
                raise Gone(gettext("This person or company was removed"))
            names = {str(change.named.get("name", "")) for change in application.changes.filter(holder=token)}
            names |= {value for value in party.raw.values() if isinstance(value, str) and "@" in value}
            if row := draft.party(token) or draft.removed_party(token):
                names.add(row.record.label)
            names.discard("")
            rows, gone = workflow.party_erased(party, names)
            delete_files_on_commit(party.documents.all())
            party.delete()
            draft.reload()
            changes = _remove_names(application, token, names)
            journal.note(gettext_noop("Erased the details of a person or company"))
        # The altered rows are attested as they are now, and the deleted ones as deleted.
        altered = [*changes, *rows]
        chain.append(AuditAction.ERASURE, by=by, application=application, subject=token, rows=altered, erased=gone)


def _remove_names(application: Application, token: str, names: Collection[str]) -> list[Change]:
    """Save the history without the party's names and answers, and return the changed entries."""
    changed = []
    for change in application.changes.all():
        before = (change.what, change.named, change.changes)
        change.what = pseudonymised(change.what, names)
        change.named = pseudonymised(change.named, names)
        change.changes = pseudonymised(change.changes, names)
        if change.holder == token:
            change.changes = []
        if (change.what, change.named, change.changes) != before:
            change.save(update_fields=["what", "named", "changes"])
            changed.append(change)
    return changed


def pseudonymised(value: Any, names: Collection[str]) -> Any:
    """Replace the names in a JSON value by PSEUDONYM."""
    if isinstance(value, str):
        for name in sorted(names, key=len, reverse=True):
            value = value.replace(name, PSEUDONYM)
        return value
    if isinstance(value, dict):
        return {pseudonymised(key, names): pseudonymised(item, names) for key, item in value.items()}
    return [pseudonymised(item, names) for item in value] if isinstance(value, list) else value


def remove_copies(application: Application, documents: Iterable[Document]) -> int:
    """Remove our copies of these files and their pictures; names, sizes and digests stay. Return the number removed."""
    with transaction.atomic():
        Application.objects.select_for_update().get(pk=application.pk)
        keys = [document.pk for document in documents]
        copies = application.documents.filter(pk__in=keys, copy_removed_at=None)
        delete_files_on_commit(copies)
        Preview.objects.filter(document__in=copies).delete()
        # The application's lock keeps the selection the same.
        count = copies.update(file="", findings={}, copy_removed_at=timezone.now())
        if count:
            chain.append(AuditAction.ERASURE, by=None, application=application, reason="copies", copies=count)
    return count
