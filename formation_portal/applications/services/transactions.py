"""What every write shares: the row lock, the history, those who listen to changes, and the audit log.

Concurrency is optimistic: nobody overwrites answers that others have saved since the page was drawn. The history tells,
answer by answer: an answer that both have changed waits for a choice, and the others are saved. A page's own earlier
posts carry the page's id, or that of the page that it has replaced in its window, so they are never taken for somebody
else's, even while their responses are on the way.
"""

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
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

from formation_portal.audit import chain
from formation_portal.audit.models import AuditAction
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.localisation import stored_words
from formation_portal.core import subscribers
from formation_portal.core.encryption import characters_within

from ..access import Author
from ..draft import Draft, Overlong
from ..fields import changed_names, count_characters, is_same_answer
from ..locks import NO_LOCKS, LockedValues, Locks, locks_of
from ..models import Application, Change, ChangeList
from ..queries import LOCKED
from .exceptions import Closed, FormChanged, Gone, LockedByReview, Stale

logger = logging.getLogger(__name__)

MAX_NAME_SHOWN = 80
# A save that changes fewer characters is not counted against the limit of the history.
LONG_CHANGE = 5_000
# Characters of JSON that the history takes of one author in an hour: 400 changes of a text of the greatest length.
HISTORY_AN_HOUR = 8_000_000


# The names of answers that others have saved since and that keep their values.
KeptTheirs = tuple[Any, ...]


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
class Merge:
    """The names of the posted answers to write, and of those that stay as others have saved them.

    `conflict` holds the answers that both have changed.
    """

    names: tuple[Any, ...]
    kept_theirs: KeptTheirs = ()
    conflict: Stale | None = None

    def result(self) -> KeptTheirs:
        """Return the names that stay as others have saved them. Raises the conflict: call it after the commit."""
        if self.conflict:
            raise self.conflict
        return self.kept_theirs


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
        entry.changes = [{**one, "label": stored_words(one["label"])} for one in changes or []]
        entry.revision, entry.page = self._application.revision + 1, self._page
        self.entries.append(entry)


# What another transaction may have changed since the application was read.
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


def _differs(one: Application, other: Application, name: str) -> bool:
    return bool(getattr(one, name) != getattr(other, name))


def lock_owner(owner: AbstractBaseUser) -> None:
    """Keep an account from being deleted until the end of the transaction. Raises Gone for a deleted account."""
    # Without the key, so that rows that name the account can be committed meanwhile.
    accounts = get_user_model().objects.select_for_update(no_key=True)
    if not accounts.filter(pk=owner.pk, is_active=True).exists():
        raise Gone


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
        read_at = application.revision
        locked = next(iter(LOCKED.rows(application.pk)), None)
        if locked is None:
            raise Application.DoesNotExist
        if locked.schema_version_id != application.schema_version_id:
            raise FormChanged
        for name in _LOCKED_COLUMNS:
            setattr(application, name, getattr(locked, name))
        if application.revision != read_at:
            draft.reload()
        if must_be_open and not application.is_open:
            raise Closed(application.status)
        locks = locks_of(draft) if must_be_open else NO_LOCKS
        stood_locked = LockedValues.of(draft, locks)
        journal, stood = (
            Journal(application, by, page_version.page if page_version else "", locks=locks),
            application.state,
        )
        yield journal
        # Whoever wrote it: locked values are unchanged, or nothing is written.
        if locks and not stood_locked.is_kept_by(LockedValues.of(draft, locks)):
            raise LockedByReview
        if journal.entries:
            application.revision += 1
            has_moved = application.state != stood
            if has_moved:
                application.payment_due_since = None
            journal.entries[-1].moved_to = application.state if has_moved else ""
            # Of a wide row only what this transaction has changed.
            fields = application._meta.concrete_fields
            changed = [one.name for one in fields if _differs(application, locked, one.attname)]
            application.save(update_fields=[*changed, "updated_at"])
            Change.objects.bulk_create(journal.entries)
            draft.new_changes += journal.entries
            draft.invalidate()
            subscribers.application_changed(draft)
            if has_moved:
                subscribers.application_moved(draft, by=by)
            append_to_audit_log(application, journal.entries, by=by, rows=draft.audited_rows)


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


def asked_answers(
    draft: Draft,
    fields: Mapping[str, FieldSpec],
    raw: Mapping[str, Any],
    *,
    by: Author | None,
    where: str,
    stored: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, Any]:
    """The posted answers to these fields, by name; others are ignored, and logged without their values.

    Answers that are too long, by themselves, for the whole application or for the history, are left out and put on the
    draft as `overlong`; the stored ones stay.
    """
    asked = {name: fields[name] for name in raw if name in fields and not fields[name].provided_by_agent}
    ignored = [name[:MAX_NAME_SHOWN] for name in raw if name not in asked]
    if ignored:
        logger.warning("Ignored %d answers that are not asked in %s: %r", len(ignored), where, ignored[:10])
    posted: dict[str, Any] = {}
    # How much more may be stored, found out once something grows; and what it has grown by here.
    room, grown = None, 0
    changed = [name for name in changed_names(stored, raw) if name in asked]
    is_history_full = _is_history_full(draft, by, [[stored.get(name, ""), raw[name]] for name in changed])
    for name, value in raw.items():
        if name not in asked:
            continue
        more = count_characters(value) - count_characters(stored.get(name, ""))
        message, label = asked[name].too_long_message(value), asked[name].label
        if more > 0 and room is None:
            room = draft.room()
        if not message and room is not None and more > max(room - grown, 0):
            message = gettext("Shorten “{label}”. The application has reached its limit of text").format(label=label)
        if not message and is_history_full and name in changed:
            message = gettext("Save “{label}” again in an hour. Too much text was changed in the last hour").format(
                label=label
            )
        if message:
            draft.overlong[name] = Overlong(value, message)
        else:
            posted[name] = value
            grown += more
    return posted


def _is_history_full(draft: Draft, by: Author | None, texts: list[Any]) -> bool:
    """Whether one more change of these texts is more than the history takes of its author in an hour.

    The history stores the answers before and after each save. Short changes are not counted and need no query.
    """
    if count_characters(texts) < LONG_CHANGE:
        return False
    recent = Change.objects.filter(at__gte=timezone.now() - timedelta(hours=1))
    own = recent.filter(who_id=by.pk) if by else recent.filter(application=draft.application, who=None)
    written = own.aggregate(length=Sum(Length("changes")))["length"] or 0
    return bool(characters_within(written) > HISTORY_AN_HOUR)


def unlocked_answers(
    draft: Draft,
    journal: Journal,
    fields: Mapping[str, FieldSpec],
    posted: dict[str, Any],
    *,
    stored: Mapping[str, Any],
    holder: str = "",
) -> dict[str, Any]:
    """The posted answers without locked ones. The labels of locked ones that differ are put on the draft."""
    locked = journal.locks.answers_of(holder)
    refused = [fields[name].label for name in changed_names(stored, posted) if name in locked] if locked else []
    draft.locked_labels += [label for label in refused if label not in draft.locked_labels]
    return {name: value for name, value in posted.items() if name not in locked}


def answer_changes(
    fields: Mapping[str, FieldSpec], names: Iterable[str], before: Mapping[str, Any], after: Mapping[str, Any]
) -> ChangeList:
    """The changed answers as a Change stores them, with their labels."""
    labels = {name: fields[name].label if name in fields else name for name in names}
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
    history_key: Callable[[Any], str] = str,
    asked: Collection[str] = (),
) -> Merge:
    """Merge a post with what others have saved since the page was drawn.

    `version` is the one that the page was drawn with, `current` the stored one. `holders` are the holders of the
    history entries about these answers, and `history_key` gives an answer's name there. Without a `page_version` any
    change by a page of an old version is a conflict. `asked` are the names of all that the page asks, where it may post
    only a part.
    """
    if page_version is not None and page_version.is_partial and version not in (None, current):
        others = _changes_by_others(application, page_version, holders)
        posted = {name: base for name, (base, _) in others.items() if name in asked} | dict(posted)
    names = changed_names(stored, posted)
    if not names or version is None or version == current:
        return Merge(names)
    if page_version is None:
        return Merge((), conflict=_stale(stored, posted, names))
    others = _changes_by_others(application, page_version, holders)
    touched = {name: others[history_key(name)] for name in names if history_key(name) in others}
    theirs = {name: one for name, one in touched.items() if not is_same_answer(one[0], stored.get(name))}
    kept_theirs = tuple(name for name, (base, _) in theirs.items() if is_same_answer(base, posted[name]))
    clashing = tuple(name for name in theirs if name not in kept_theirs)
    writable = tuple(name for name in names if name not in theirs)
    if not clashing:
        return Merge(writable, kept_theirs)
    changes = {name: change for name, (_, change) in theirs.items()}
    return Merge(writable, conflict=_stale(stored, posted, clashing, kept_theirs=kept_theirs, changes=changes))


def _stale(
    stored: Mapping[Any, Any],
    posted: Mapping[Any, Any],
    names: tuple[Any, ...],
    *,
    kept_theirs: tuple[Any, ...] = (),
    changes: Mapping[Any, Change] | None = None,
) -> Stale:
    shown = {name: stored.get(name, "") for name in posted}
    return Stale(stored=shown, posted=dict(posted), fields=names, kept_theirs=kept_theirs, changes=changes or {})


def _changes_by_others(
    application: Application, page_version: PageVersion, holders: Collection[str]
) -> dict[str, tuple[Any, Change]]:
    """The answers that others have changed since the page was drawn, by their names in the history. One query.

    With each goes the value that the page last knew, and the latest change.
    """
    found: dict[str, tuple[Any, Change]] = {}
    bases: dict[str, Any] = {}
    since = application.changes.filter(revision__gt=page_version.revision, holder__in=holders)
    for change in since.select_related("who").order_by("pk"):
        for one in change.changes:
            name = one["field"]
            if change.page == page_version.page or change.page in page_version.earlier_pages:
                bases[name] = one["after"]
                found.pop(name, None)
            else:
                found[name] = (bases.setdefault(name, one["before"]), change)
    return found
