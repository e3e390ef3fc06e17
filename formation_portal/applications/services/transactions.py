"""What every write shares: the row lock, the history, those who listen to changes, and the audit log."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from types import MappingProxyType
from typing import Any

from django.db import transaction
from django.db.models import Sum, TextField
from django.db.models.functions import Cast, Length
from django.utils import timezone

from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.localisation import gettext
from formation_portal.core import subscribers

from ..draft import Draft, Overlong
from ..fields import MAX_CHARACTERS, changed_names, count_characters
from ..history import Author, append_to_audit_log, history_entry
from ..locks import NO_LOCKS, LockedValues, Locks, locks_of
from ..models import Application, Change, ChangeList
from .concurrency import PageVersion
from .exceptions import Closed, FormChanged, LockedByReview

logger = logging.getLogger(__name__)

MAX_NAME_SHOWN = 80
# A save that changes fewer characters is not counted against the limit of the history.
LONG_CHANGE = 5_000
# Characters of JSON that the history takes of one author in an hour: 400 changes of a text of the greatest length.
HISTORY_AN_HOUR = 8_000_000


class Journal:
    """Collects the history entries of one transaction. `locks` is what it may not change."""

    def __init__(self, application: Application, by: Author | None, page: str, *, locks: Locks = NO_LOCKS) -> None:
        self.locks = locks
        self._application = application
        self._by = by
        self._page = page
        self.entries: list[Change] = []

    def note(self, message: str, /, *, holder: str = "", changes: ChangeList | None = None, **named: str) -> None:
        """Add an entry: a message with values for its `{name}`s, and the answers before and after."""
        self.entries.append(
            Change(
                application=self._application,
                who_id=self._by.pk if self._by else None,
                **history_entry(message, **named),
                holder=holder,
                changes=changes or [],
                revision=self._application.revision + 1,
                page=self._page,
            )
        )


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
        locked = Application.objects.select_for_update().get(pk=application.pk)
        if locked.schema_version_id != application.schema_version_id:
            raise FormChanged
        for name in ("state", "revision", "submitted_at", "submitted_by_id", "submissions", "deleted_at"):
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
            journal.entries[-1].moved_to = application.state if has_moved else ""
            application.save()
            Change.objects.bulk_create(journal.entries)
            draft.new_changes += journal.entries
            draft.invalidate()
            subscribers.application_changed(draft)
            if has_moved:
                subscribers.application_moved(draft, by=by)
            append_to_audit_log(application, journal.entries, by=by, rows=draft.audited_rows)


def asked_answers(
    draft: Draft,
    fields: Iterable[FieldSpec],
    raw: Mapping[str, Any],
    *,
    by: Author | None,
    where: str,
    stored: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, Any]:
    """The posted answers to these fields; others are ignored, and logged without their values.

    Answers that are too long, by themselves, for the whole application or for the history, are left out and put on the
    draft as `overlong`; the stored ones stay.
    """
    asked = {spec.name: spec for spec in fields if not spec.provided_by_agent}
    ignored = [name[:MAX_NAME_SHOWN] for name in raw if name not in asked]
    if ignored:
        logger.warning("Ignored %d answers that are not asked in %s: %r", len(ignored), where, ignored[:10])
    posted, room = {}, MAX_CHARACTERS - draft.characters
    changed = [name for name in changed_names(stored, raw) if name in asked]
    is_history_full = _is_history_full(draft, by, [[stored.get(name, ""), raw[name]] for name in changed])
    for name, value in raw.items():
        if name not in asked:
            continue
        more = count_characters(value) - count_characters(stored.get(name, ""))
        message, label = asked[name].too_long_message(value), asked[name].label
        if not message and more > max(room, 0):
            message = gettext("Shorten “{label}”. The application has reached its limit of text", label=label)
        if not message and is_history_full and name in changed:
            message = gettext(
                "Save “{label}” again in an hour. Too much text was changed in the last hour", label=label
            )
        if message:
            draft.overlong[name] = Overlong(value, message)
        else:
            posted[name], room = value, room - more
    return posted


def _is_history_full(draft: Draft, by: Author | None, texts: list[Any]) -> bool:
    """Whether one more change of these texts is more than the history takes of its author in an hour.

    The history stores the answers before and after each save. Short changes are not counted and need no query.
    """
    if count_characters(texts) < LONG_CHANGE:
        return False
    recent = Change.objects.filter(at__gte=timezone.now() - timedelta(hours=1))
    own = recent.filter(who_id=by.pk) if by else recent.filter(application=draft.application, who=None)
    written = own.aggregate(length=Sum(Length(Cast("changes", TextField()))))["length"] or 0
    return bool(written > HISTORY_AN_HOUR)


def unlocked_answers(
    draft: Draft,
    journal: Journal,
    fields: Iterable[FieldSpec],
    posted: dict[str, Any],
    *,
    stored: Mapping[str, Any],
    holder: str = "",
) -> dict[str, Any]:
    """The posted answers without locked ones. The labels of locked ones that differ are put on the draft."""
    locked = journal.locks.answers_of(holder)
    labels = {spec.name: spec.label for spec in fields}
    refused = [labels[name] for name in changed_names(stored, posted) if name in locked]
    draft.locked_labels += [label for label in refused if label not in draft.locked_labels]
    return {name: value for name, value in posted.items() if name not in locked}


def answer_changes(
    fields: Iterable[FieldSpec], names: Iterable[str], before: Mapping[str, Any], after: Mapping[str, Any]
) -> ChangeList:
    """The changed answers as a Change stores them, with their labels."""
    labels = {spec.name: spec.label for spec in fields}
    return [
        {"field": name, "label": labels.get(name, name), "before": before.get(name), "after": after.get(name)}
        for name in names
    ]
