"""The transaction around each write: the row lock, the history, the events and the audit log; and merging of answers.

Concurrency is optimistic: nobody overwrites answers that others have saved since the page was drawn. The history shows
which answers these are: one that both sides have changed waits for a choice, and others are saved. A page's
earlier posts carry its id, or the id of the page that it has replaced in its window. So they never count as posts of
another page, even while their responses are on the way.
"""

import logging
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from types import MappingProxyType
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser
from django.db import models, transaction
from django.db.models import Sum
from django.db.models.functions import Length
from django.utils import timezone
from django.utils.translation import gettext

from formation_portal import workflow
from formation_portal.audit import chain
from formation_portal.audit.models import AuditAction
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.core.encryption import characters_within

from ..access import Author
from ..draft import Draft
from ..fields import changed_answers, count_characters, is_same_answer
from ..locks import NO_LOCKS, Locks, are_values_kept, locked_values, locks_of
from ..models import Application, Change, ChangeList, Document
from ..queries import LOCKED
from .exceptions import Closed, FormChanged, Gone, LockedByReview

logger = logging.getLogger(__name__)

MAX_NAME_SHOWN = 80
# A save that changes fewer characters is never refused because of HISTORY_AN_HOUR.
LONG_CHANGE = 5_000
# Characters of JSON that the history takes from an author in an hour: 400 changes of a text of the greatest length.
HISTORY_AN_HOUR = 8_000_000


@dataclass(frozen=True, slots=True)
class PageVersion:
    """A page that posts: its id, and the application's revision when the page was drawn.

    `earlier_pages` are the ids of pages that this page has replaced in its window: their posts may still arrive.
    `is_partial`: the page posts only its own changes, and shows other answers as it last knew them.
    """

    revision: int
    page: str
    is_partial: bool = False
    earlier_pages: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class OtherVersion:
    """A posted answer that is not saved, beside the answer that others have saved since the page was drawn.

    `change` is the latest history entry about the answer; None if the page has no PageVersion.
    """

    posted: Any
    stored: Any
    change: Change | None = None


@dataclass(frozen=True, slots=True)
class Overlong:
    """A posted answer that is too long to store, with the message about it."""

    raw: Any
    message: str


@dataclass(frozen=True, slots=True)
class SaveResult:
    """The history entries of a save, and every posted answer and file that is not saved.

    Both sides have changed the answers in `conflicts`: their author has to choose. Only others have changed those in
    `skipped`. `locked` has the labels of answers that a reviewer has accepted.
    """

    changes: tuple[Change, ...] = ()
    conflicts: Mapping[Any, OtherVersion] = field(default_factory=dict)
    skipped: Mapping[Any, OtherVersion] = field(default_factory=dict)
    overlong: Mapping[str, Overlong] = field(default_factory=dict)
    locked: tuple[str, ...] = ()
    # The reasons why files were refused, by slot key, and the files that were stored.
    refused_files: Mapping[str, str] = field(default_factory=dict)
    documents: tuple[Document, ...] = ()


class Journal:
    """The results of a transaction: its history entries, and the posted answers that it does not save.

    `locks` are the parts that it may not change.
    """

    def __init__(self, draft: Draft, by: Author | None, page_version: PageVersion | None, locks: Locks) -> None:
        self.locks = locks
        self.entries: list[Change] = []
        self._draft = draft
        self._by = by
        self._page_version = page_version
        self._conflicts: dict[Any, OtherVersion] = {}
        self._skipped: dict[Any, OtherVersion] = {}
        self._overlong: dict[str, Overlong] = {}
        self.locked_labels: list[str] = []

    def result(self) -> SaveResult:
        """Sum up the transaction once it has ended."""
        locked = tuple(dict.fromkeys(self.locked_labels))
        return SaveResult(tuple(self.entries), self._conflicts, self._skipped, self._overlong, locked)

    def note(self, message: str, /, *, holder: str = "", changes: ChangeList | None = None, **named: str) -> None:
        """Add an entry: a message with values for its `{name}`s, and the answers before and after."""
        application = self._draft.application
        entry = Change.new(application, self._by, message, **named)
        entry.holder = holder
        entry.changes = list(changes or [])
        entry.revision = application.revision + 1
        if self._page_version:
            entry.page = self._page_version.page
        self.entries.append(entry)

    def accept(
        self,
        fields: Mapping[str, FieldSpec],
        raw: Mapping[str, Any],
        *,
        where: str,
        stored: Mapping[str, Any] = MappingProxyType({}),
        locked: Collection[str] = (),
    ) -> dict[str, Any]:
        """Return the posted answers to these fields that may be stored.

        Answers to other fields are ignored, and logged without their values. Answers too long by themselves, for
        the whole application or for the history are set apart. Answers named in `locked` keep their values.
        """
        posted = {name: raw[name] for name in raw if name in fields and not fields[name].provided_by_agent}
        ignored = [name[:MAX_NAME_SHOWN] for name in raw if name not in posted]
        if ignored:
            logger.warning("Ignored %d answers that are not asked in %s: %r", len(ignored), where, ignored[:10])
        changed = changed_answers(stored, posted)
        is_history_full = self._is_history_full([[stored.get(name, ""), answer] for name, answer in changed.items()])
        answers: dict[str, Any] = {}
        room, added = None, 0
        for name, answer in posted.items():
            label = fields[name].label
            growth = count_characters(answer) - count_characters(stored.get(name, ""))
            if growth > 0 and room is None:
                room = self._draft.room()
            message = fields[name].too_long_message(answer)
            if not message and room is not None and growth > max(room - added, 0):
                text = gettext("Shorten “{label}”. The application has reached its limit of text")
                message = text.format(label=label)
            if not message and is_history_full and name in changed:
                text = gettext("Save “{label}” again in an hour. Too much text was changed in the last hour")
                message = text.format(label=label)
            if message:
                self._overlong[name] = Overlong(answer, message)
                continue
            added += growth
            if name not in locked:
                answers[name] = answer
            elif name in changed:
                self.locked_labels.append(label)
        return answers

    def _is_history_full(self, texts: list[Any]) -> bool:
        """Tell whether these texts would exceed what the history takes from an author in an hour."""
        if count_characters(texts) < LONG_CHANGE:
            return False
        recent = Change.objects.filter(at__gte=timezone.now() - timedelta(hours=1))
        if self._by:
            own = recent.filter(who_id=self._by.pk)
        else:
            own = recent.filter(application=self._draft.application, who=None)
        written = own.aggregate(length=Sum(Length("changes")))["length"] or 0
        return bool(characters_within(written) > HISTORY_AN_HOUR)

    def merge(
        self,
        stored: Mapping[Any, Any],
        posted: Mapping[Any, Any],
        *,
        version: int | None,
        current: int,
        holders: Collection[str],
        history_names: Mapping[Any, str] = MappingProxyType({}),
        page_fields: Collection[str] = (),
    ) -> dict[Any, Any]:
        """Return the posted answers to write, without those that others have saved since the page was drawn.

        `version` is the page's version of the answers, `current` the stored version. `holders` are the holders of the
        history entries about these answers; `history_names` has the answers' names there, where they differ. Without a
        `page_version`, every change by an outdated page is a conflict. `page_fields` are the names of all answers of
        the page, which may post only a part of them.
        """
        page_version = self._page_version
        changed = changed_answers(stored, posted)
        if version is None or version == current:
            return changed
        if page_version is None:
            self._conflicts = {name: OtherVersion(posted[name], stored.get(name, "")) for name in changed}
            return {}
        if not changed and not page_version.is_partial:
            return {}
        others = self._changes_by_others(page_version, holders)
        if page_version.is_partial:
            page_values = {name: value for name, (value, _) in others.items() if name in page_fields}
            changed = changed_answers(stored, {**page_values, **posted})
        writable: dict[Any, Any] = {}
        for name, answer in changed.items():
            page_value, change = others.get(history_names.get(name, name), (stored.get(name), None))
            other = OtherVersion(answer, stored.get(name, ""), change)
            if is_same_answer(page_value, stored.get(name)):
                writable[name] = answer
            elif is_same_answer(page_value, answer):
                self._skipped[name] = other
            else:
                self._conflicts[name] = other
        return writable

    def _changes_by_others(self, page_version: PageVersion, holders: Collection[str]) -> dict[str, tuple[Any, Change]]:
        """Return the answers that others have changed since the page was drawn, by name in the history. One SQL query.

        Each comes with the value that the page last knew, and the latest change.
        """
        others: dict[str, tuple[Any, Change]] = {}
        page_values: dict[str, Any] = {}
        own_pages = {page_version.page, *page_version.earlier_pages}
        changes = self._draft.application.changes.filter(revision__gt=page_version.revision, holder__in=holders)
        for change in changes.select_related("who").order_by("pk"):
            for line in change.changes:
                name = line["field"]
                if change.page in own_pages:
                    page_values[name] = line["after"]
                    others.pop(name, None)
                else:
                    others[name] = (page_values.setdefault(name, line["before"]), change)
        return others


# Columns that another transaction may have changed since the application was read.
_LOCKED_COLUMNS = (
    "state",
    "revision",
    "submitted_at",
    "first_submitted_at",
    "submitted_by_id",
    "submissions",
    "payment_due_since",
    "deleted_at",
)


def _changed_fields(application: Application, stored: Application) -> list[str]:
    fields = application._meta.concrete_fields
    return [field.name for field in fields if getattr(application, field.attname) != getattr(stored, field.attname)]


def lock_owner(owner: AbstractBaseUser) -> None:
    """Keep an account from being deleted until the end of the transaction. Raises Gone for a deleted account."""
    # A lock without the key, so that rows that refer to the account can be committed meanwhile.
    accounts = get_user_model().objects.select_for_update(no_key=True)
    if not accounts.filter(pk=owner.pk, is_active=True).exists():
        raise Gone


def lock_application(draft: Draft) -> Application:
    """Lock the application's row, bring the draft up to date, and return the row as stored. Raises FormChanged."""
    application = draft.application
    stored = next(iter(LOCKED.rows(application.pk)), None)
    if stored is None:
        raise Application.DoesNotExist
    if stored.schema_version_id != application.schema_version_id:
        raise FormChanged
    is_outdated = stored.revision != application.revision
    for name in _LOCKED_COLUMNS:
        setattr(application, name, getattr(stored, name))
    if is_outdated:
        draft.reload()
    return stored


@contextmanager
def application_transaction(
    draft: Draft, *, by: Author | None, must_be_open: bool = True, page_version: PageVersion | None = None
) -> Iterator[Journal]:
    """Open a transaction for one change of an application. Raises Closed, FormChanged, LockedByReview.

    The application's row is locked. Without a journal entry, nothing is written and `workflow` is not told.
    """
    with transaction.atomic():
        application = draft.application
        locked = lock_application(draft)
        if must_be_open and not application.is_open:
            raise Closed(application.status)
        locks = locks_of(draft) if must_be_open else NO_LOCKS
        locked_before = locked_values(draft, locks)
        journal = Journal(draft, by, page_version, locks)
        state_before = application.state
        yield journal
        if journal.entries:
            draft.invalidate()
        # No write may change a locked value.
        if locks and not are_values_kept(locked_before, locked_values(draft, locks)):
            raise LockedByReview
        if journal.entries:
            application.revision += 1
            has_moved = application.state != state_before
            if has_moved:
                application.payment_due_since = None
                journal.entries[-1].moved_to = application.state
            application.save(update_fields=[*_changed_fields(application, locked), "updated_at"])
            Change.objects.bulk_create(journal.entries)
            rows = workflow.application_changed(draft, journal.entries[-1])
            if has_moved:
                rows += workflow.application_moved(draft, by=by)
            append_to_audit_log(application, journal.entries, by=by, rows=rows)


def append_to_audit_log(
    application: Application, entries: Sequence[Change], *, by: Author | None, rows: Sequence[models.Model] = ()
) -> None:
    """Append one entry to the audit log. Of history entries and other `rows` it holds only keys and keyed digests."""
    holders = {entry.holder for entry in entries}
    moved_to = next((entry.moved_to for entry in entries if entry.moved_to), "")
    chain.append(
        AuditAction.CHANGE,
        by=by,
        application=application,
        subject=holders.pop() if len(holders) == 1 else "",
        changes=[entry.pk for entry in entries],
        revision=application.revision,
        rows=[*entries, *rows],
        **({"moved_to": moved_to} if moved_to else {}),
        **({"deleted": True} if application.deleted_at else {}),
    )


def change_line(field: str, label: str, before: Any, after: Any) -> dict[str, Any]:
    """Return one changed answer as a Change stores it."""
    return {"field": field, "label": label, "before": before, "after": after}


def answer_changes(fields: Mapping[str, FieldSpec], before: Mapping[str, Any], after: Mapping[str, Any]) -> ChangeList:
    """Return the answers in `after` that differ from `before`, with the schema's untranslated labels."""
    changes = []
    for name, answer in changed_answers(before, after).items():
        label = fields[name].original.label if name in fields else name
        changes.append(change_line(name, label, before.get(name), answer))
    return changes
