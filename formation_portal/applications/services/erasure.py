"""Erases for good: a draft or a closed application with all that was typed, uploaded and said about it, one party of an
application, and our copies of files that the formation service has.

What is left says nothing of a person: an empty row, codes and times, and the audit log, which names everything by
number. Whether something may be erased yet is decided in `privacy`.
"""

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from formation_portal.audit import chain
from formation_portal.audit.models import AuditAction
from formation_portal.core import subscribers
from formation_portal.core.overwriting import overwrite_deleted

from ..access import Author
from ..draft import Draft, open_draft
from ..models import Application, Change, Document, Party, Preview
from .documents import delete_files_on_commit
from .exceptions import Gone, Unread
from .transactions import application_transaction

# What stands in the history where a name was.
PSEUDONYM = "[erased]"


def erase_content(application: Application) -> None:
    """Delete all rows and files of an application, but for what the packages above keep (`application_erased`)."""
    subscribers.application_erased(application)
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
    """Erase an application that was submitted and is closed; the service keeps its own record. `reason` is a code for
    the audit log. Raises Unread where it has changed since it was read."""
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
    """Erase a party, removed or not, from its application: answers, files, holdings, its part, what a review says of
    it, and its names in the history. Raises Gone.

    While the application is open the service is told to delete it as well: at once, or with the corrections of one that
    was returned.
    """
    with transaction.atomic():
        draft = open_draft(application)
        with application_transaction(draft, by=by, must_be_open=False) as journal:
            party = application.parties.filter(token=token).first()
            if party is None:
                raise Gone(gettext("This person or company was removed"))
            names = _names_of(draft, party)
            told, gone = subscribers.party_erased(party, names)
            delete_files_on_commit(party.documents.all())
            party.delete()
            draft.reload()
            altered = list(_without_names(application, token, names))
            journal.note(gettext_noop("Erased the details of a person or company"))
        # What was said of the party is attested as it is now; what is gone is known to be gone.
        rows = [*altered, *told]
        chain.append(AuditAction.ERASURE, by=by, application=application, subject=token, rows=rows, erased=gone)


def _names_of(draft: Draft, party: Party) -> frozenset[str]:
    """What the party is and was called, and its e-mail addresses: the texts by which others may tell of it."""
    row = draft.party(party.token) or draft.removed_party(party.token)
    told = draft.application.changes.filter(holder=party.token)
    names = {row.record.label if row else "", *(str(change.named.get("name", "")) for change in told)}
    addresses = {value for value in party.raw.values() if isinstance(value, str) and "@" in value}
    return frozenset((names | addresses) - {""})


def _without_names(application: Application, token: str, names: Collection[str]) -> Iterator[Change]:
    """The entries of the history that told of the party, saved without its names and answers."""
    for change in application.changes.all():
        before = (change.what, change.named, change.changes)
        change.what, change.named = pseudonymised(change.what, names), pseudonymised(change.named, names)
        change.changes = [] if change.holder == token else pseudonymised(change.changes, names)
        if (change.what, change.named, change.changes) != before:
            change.save(update_fields=["what", "named", "changes"])
            yield change


def pseudonymised(value: Any, names: Collection[str]) -> Any:
    """A text, or whatever JSON can say, with PSEUDONYM wherever one of the names stands."""
    if isinstance(value, str):
        for name in sorted(names, key=len, reverse=True):
            value = value.replace(name, PSEUDONYM)
        return value
    if isinstance(value, dict):
        return {pseudonymised(key, names): pseudonymised(one, names) for key, one in value.items()}
    return [pseudonymised(one, names) for one in value] if isinstance(value, list) else value


def remove_copies(application: Application, documents: Iterable[Document]) -> int:
    """Remove our copies of these files, with their pictures, and say of how many: the formation service has them. Their
    names, sizes and digests stay."""
    with transaction.atomic():
        Application.objects.select_for_update().get(pk=application.pk)
        keys = [one.pk for one in documents]
        found = list(application.documents.filter(pk__in=keys, copy_removed_at=None))
        if found:
            delete_files_on_commit(found)
            Preview.objects.filter(document__in=found).delete()
            removed = Document.objects.filter(pk__in=[one.pk for one in found])
            removed.update(file="", findings={}, copy_removed_at=timezone.now())
            chain.append(AuditAction.ERASURE, by=None, application=application, reason="copies", copies=len(found))
    return len(found)
