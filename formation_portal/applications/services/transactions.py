"""The transaction around each write: the row lock, the history, the events and the audit log; and merging of answers.

Concurrency is optimistic: nobody overwrites answers that others have saved since the page was drawn. The history tells,
answer by answer: an answer that both sides have changed waits for a choice, and the others are saved. A page's own
earlier posts carry the page's id, or that of the page that it has replaced in its window, so they are never taken for
those of another page, even while their responses are on the way.
"""

import logging
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
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
from ..fields import changed_names, count_characters, is_same_answer
from ..locks import NO_LOCKS, LockedValues, Locks, locks_of
from ..models import Application, Change, ChangeList, Document
from ..queries import LOCKED
from .exceptions import Closed, FormChanged, Gone, LockedByReview

logger = logging.getLogger(__name__)

MAX_NAME_SHOWN = 80
# A save that changes fewer characters is not counted against the limit of the history.
LONG_CHANGE = 5_000
# Characters of JSON that the history takes of one author in an hour: 400 changes of a text of the greatest length.
HISTORY_AN_HOUR = 8_000_000


@dataclass(frozen=True, slots=True)
class PageVersion:
    """The version of a page that posts: the application's revision when it was drawn, and the page's id.

    `earlier_pages` are the ids of the pages that it has replaced in its window, whose posts may still arrive.
    `is_partial`: it posts only what it has changed, and shows everything else as it knew it.
    """

    revision: int
    page: str
    is_partial: bool = False
    earlier_pages: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class OtherVersion:
    """An answer that others have saved since the page was drawn, beside the posted one, which is not saved.

    `change` is the latest history entry about it; None for a page that does not say what it was drawn from.
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
class Merge:
    """The names of the posted answers to write, and those that stay as others have saved them.

    Both sides have changed what is in `conflicts`, and only others what is in `skipped`.
    """

    names: tuple[Any, ...]
    conflicts: Mapping[Any, OtherVersion] = field(default_factory=dict)
    skipped: Mapping[Any, OtherVersion] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AcceptedAnswers:
    """The posted answers that may be stored, by name. Others are too long, or locked (by the labels of questions)."""

    answers: dict[str, Any]
    overlong: Mapping[str, Overlong] = field(default_factory=dict)
    locked: tuple[str, ...] = ()


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
    # By the key of the slot, why a file was refused; and the files that were stored.
    refused_files: Mapping[str, str] = field(default_factory=dict)
    documents: tuple[Document, ...] = ()

    @classmethod
    def of(cls, journal: "Journal", merge: Merge, accepted: AcceptedAnswers | None = None) -> "SaveResult":
        """Sum up a transaction that has ended."""
        result = cls(tuple(journal.entries), merge.conflicts, merge.skipped)
        return replace(result, overlong=accepted.overlong, locked=accepted.locked) if accepted else result


class Journal:
    """Collects the history entries of one transaction. `locks` is what it may not change."""

    def __init__(self, application: Application, by: Author | None, page: str, *, locks: Locks = NO_LOCKS) -> None:
        self.locks = locks
        self._application = application
        self._by = by
        self._page = page
        self.entries: list[Change] = []

    def note(
        self,
        message: str,
        /,
        *,
        holder: str = "",
        changes: ChangeList | None = None,
        **named: str,
    ) -> None:
        """Add an entry: a message with values for its `{name}`s, and the answers before and after."""
        entry = Change.new(self._application, self._by, message, **named)
        entry.holder = holder
        entry.changes = list(changes or [])
        entry.revision, entry.page = self._application.revision + 1, self._page
        self.entries.append(entry)


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
    """Return the fields of a wide row that a transaction has changed."""
    fields = application._meta.concrete_fields
    return [field.name for field in fields if getattr(application, field.attname) != getattr(stored, field.attname)]


def lock_owner(owner: AbstractBaseUser) -> None:
    """Keep an account from being deleted until the end of the transaction. Raises Gone for a deleted account."""
    # Without the key, so that rows that name the account can be committed meanwhile.
    accounts = get_user_model().objects.select_for_update(no_key=True)
    if not accounts.filter(pk=owner.pk, is_active=True).exists():
        raise Gone


def lock_application(draft: Draft) -> Application:
    """Lock the application's row until the end of the transaction, and bring the draft up to date with it.

    Returns the row as it is stored. Raises FormChanged where the application has moved to another form.
    """
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
    """A transaction around one change of an application. Raises Closed, FormChanged, LockedByReview.

    The application's row is locked, so that its changes come one after another. Without an entry in the journal nothing
    is written and nobody is told. `page_version` names the page that posted the change.
    """
    with transaction.atomic():
        application = draft.application
        locked = lock_application(draft)
        if must_be_open and not application.is_open:
            raise Closed(application.status)
        locks = locks_of(draft) if must_be_open else NO_LOCKS
        locked_before = LockedValues.of(draft, locks)
        journal = Journal(application, by, page_version.page if page_version else "", locks=locks)
        state_before = application.state
        yield journal
        # No write may change a locked value.
        if locks and not locked_before.is_kept_by(LockedValues.of(draft, locks)):
            raise LockedByReview
        if journal.entries:
            application.revision += 1
            has_moved = application.state != state_before
            if has_moved:
                application.payment_due_since = None
            journal.entries[-1].moved_to = application.state if has_moved else ""
            application.save(update_fields=[*_changed_fields(application, locked), "updated_at"])
            Change.objects.bulk_create(journal.entries)
            draft.invalidate()
            rows = workflow.application_changed(draft, journal.entries[-1])
            if has_moved:
                rows += workflow.application_moved(draft, by=by)
            append_to_audit_log(application, journal.entries, by=by, rows=rows)


def append_to_audit_log(
    application: Application, entries: Sequence[Change], *, by: Author | None, rows: Sequence[models.Model] = ()
) -> None:
    """Append one transaction's history entries to the audit log, which nobody can alter unseen.

    The log names the entries by primary key and attests them, and `rows` beside them, by keyed digests alone, so that
    a draft can be deleted with everything typed.
    """
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


def accept_answers(
    draft: Draft,
    fields: Mapping[str, FieldSpec],
    raw: Mapping[str, Any],
    *,
    by: Author | None,
    where: str,
    stored: Mapping[str, Any] = MappingProxyType({}),
    locked: Collection[str] = (),
) -> AcceptedAnswers:
    """Separate the posted answers to these fields that may be stored from those that may not.

    Answers to other fields are ignored, and logged without their values. Answers are too long by themselves, for the
    whole application or for the history. The answers whose names are `locked` keep their values.
    """
    posted = {name: raw[name] for name in raw if name in fields and not fields[name].provided_by_agent}
    ignored = [name[:MAX_NAME_SHOWN] for name in raw if name not in posted]
    if ignored:
        logger.warning("Ignored %d answers that are not asked in %s: %r", len(ignored), where, ignored[:10])
    changed = changed_names(stored, posted)
    is_history_full = _is_history_full(draft, by, [[stored.get(name, ""), posted[name]] for name in changed])
    answers: dict[str, Any] = {}
    overlong: dict[str, Overlong] = {}
    room, added = None, 0
    for name, value in posted.items():
        label = fields[name].label
        growth = count_characters(value) - count_characters(stored.get(name, ""))
        if growth > 0 and room is None:
            room = draft.room()
        message = fields[name].too_long_message(value)
        if not message and room is not None and growth > max(room - added, 0):
            message = gettext("Shorten “{label}”. The application has reached its limit of text").format(label=label)
        if not message and is_history_full and name in changed:
            message = gettext("Save “{label}” again in an hour. Too much text was changed in the last hour").format(
                label=label
            )
        if message:
            overlong[name] = Overlong(value, message)
        else:
            answers[name] = value
            added += growth
    refused = tuple(fields[name].label for name in changed if name in answers and name in locked)
    allowed = {name: value for name, value in answers.items() if name not in locked}
    return AcceptedAnswers(allowed, overlong, tuple(dict.fromkeys(refused)))


def _is_history_full(draft: Draft, by: Author | None, texts: list[Any]) -> bool:
    """Check that one more change of these texts would exceed what the history takes of its author in an hour.

    The history stores the answers before and after each save. Short changes are not counted and need no query.
    """
    if count_characters(texts) < LONG_CHANGE:
        return False
    recent = Change.objects.filter(at__gte=timezone.now() - timedelta(hours=1))
    own = recent.filter(who_id=by.pk) if by else recent.filter(application=draft.application, who=None)
    written = own.aggregate(length=Sum(Length("changes")))["length"] or 0
    return bool(characters_within(written) > HISTORY_AN_HOUR)


def answer_changes(
    fields: Mapping[str, FieldSpec], names: Iterable[str], before: Mapping[str, Any], after: Mapping[str, Any]
) -> ChangeList:
    """Return the changed answers as a Change stores them, with their labels as the schema states them."""
    labels = {name: fields[name].original.label if name in fields else name for name in names}
    return [
        {"field": name, "label": label, "before": before.get(name), "after": after.get(name)}
        for name, label in labels.items()
    ]


def compare_versions(
    application: Application,
    *,
    version: int | None,
    current: int,
    stored: Mapping[Any, Any],
    posted: Mapping[Any, Any],
    holders: Collection[str] = (),
    page_version: PageVersion | None = None,
    history_names: Mapping[Any, str] = MappingProxyType({}),
    page_fields: Collection[str] = (),
) -> Merge:
    """Merge a post with what others have saved since the page was drawn.

    `version` is the one that the page was drawn with, `current` the stored one. `holders` are the holders of the
    history entries about these answers, and `history_names` the names that answers have there, if they are others.
    Without a `page_version` any change by a page of an old version is a conflict. `page_fields` are the names of all
    answers of the page, which may post only a part of them.
    """
    names = changed_names(stored, posted)
    if version is None or version == current:
        return Merge(names)
    if page_version is None:
        return Merge((), conflicts={name: OtherVersion(posted[name], stored.get(name, "")) for name in names})
    if not names and not page_version.is_partial:
        return Merge(())
    others = _changes_by_others(application, page_version, holders)
    if page_version.is_partial:
        page_values = {name: value for name, (value, _) in others.items() if name in page_fields}
        posted = {**page_values, **posted}
        names = changed_names(stored, posted)
    writable: list[Any] = []
    conflicts: dict[Any, OtherVersion] = {}
    skipped: dict[Any, OtherVersion] = {}
    for name in names:
        page_value, change = others.get(history_names.get(name, name), (stored.get(name), None))
        if is_same_answer(page_value, stored.get(name)):
            writable.append(name)
            continue
        other = OtherVersion(posted[name], stored.get(name, ""), change)
        if is_same_answer(page_value, posted[name]):
            skipped[name] = other
        else:
            conflicts[name] = other
    return Merge(tuple(writable), conflicts, skipped)


def _changes_by_others(
    application: Application, page_version: PageVersion, holders: Collection[str]
) -> dict[str, tuple[Any, Change]]:
    """Return the answers that others have changed since the page was drawn, by their names in the history. One query.

    With each goes the value that the page last knew, and the latest change.
    """
    others: dict[str, tuple[Any, Change]] = {}
    page_values: dict[str, Any] = {}
    own_pages = {page_version.page, *page_version.earlier_pages}
    changes = application.changes.filter(revision__gt=page_version.revision, holder__in=holders)
    for change in changes.select_related("who").order_by("pk"):
        for line in change.changes:
            name = line["field"]
            if change.page in own_pages:
                page_values[name] = line["after"]
                others.pop(name, None)
            else:
                others[name] = (page_values.setdefault(name, line["before"]), change)
    return others
