"""What every change has in common: the lock, the look at what stands there now, the history, the signal."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.db import transaction

from formation_portal.contract.field import FieldSpec

from ..drafts import Draft
from ..history import told
from ..models import Application, Change, ChangeList
from ..signals import changed, moved
from .authors import Author
from .chaining import chained
from .elsewhere import Seen
from .refusals import Closed, FormChanged

logger = logging.getLogger(__name__)

NAME_SHOWN_AT_MOST = 80


class Journal:
    """What one transaction has changed; becomes the history's entries."""

    def __init__(self, application: Application, by: Author | None, page: str) -> None:
        self._application = application
        self._by = by
        self._page = page
        self.entries: list[Change] = []

    def note(self, message: str, /, *, holder: str = "", changes: ChangeList | None = None, **named: str) -> None:
        """One sentence for the history, `{name}` in it the value of that name, with what was there before and after."""
        self.entries.append(
            Change(
                application=self._application,
                who_id=self._by.pk if self._by else None,
                **told(message, **named),
                holder=holder,
                changes=changes or [],
                revision=self._application.revision + 1,
                page=self._page,
            )
        )


@contextmanager
def writing(
    draft: Draft, *, by: Author | None, must_be_open: bool = True, seen: Seen | None = None
) -> Iterator[Journal]:
    """A transaction around one change. Raises Closed where the state allows none, or where the form is another by now.

    The application's row is locked, so that changes of one application come one after another. Without an entry in
    the journal nothing has changed, and nobody is told. `seen` names the page that the change was posted from.
    """
    with transaction.atomic():
        application = draft.application
        read_at = application.revision
        locked = Application.objects.select_for_update().get(pk=application.pk)
        if locked.snapshot_id != application.snapshot_id:
            raise FormChanged
        for name in ("state", "revision", "submitted_at", "submitted_by_id", "submissions", "deleted_at"):
            setattr(application, name, getattr(locked, name))
        if application.revision != read_at:
            draft.reload()
        if must_be_open and not application.is_open:
            raise Closed(application.stands)
        journal, stood = Journal(application, by, seen.page if seen else ""), application.state
        yield journal
        if journal.entries:
            application.revision += 1
            has_moved = application.state != stood
            journal.entries[-1].moved_to = application.state if has_moved else ""
            application.save()
            Change.objects.bulk_create(journal.entries)
            draft.written += journal.entries
            draft.forget()
            changed.send(sender=Application, draft=draft)
            if has_moved:
                moved.send(sender=Application, draft=draft, by=by)
            chained(application, journal.entries, by=by)


def taken(fields: Iterable[FieldSpec], raw: Mapping[str, Any], *, where: str) -> dict[str, Any]:
    """The posted answers to questions that are asked there; others are ignored, and logged without their values."""
    asked = {spec.name for spec in fields if not spec.provided_by_agent}
    ignored = [name[:NAME_SHOWN_AT_MOST] for name in raw if name not in asked]
    if ignored:
        logger.warning("Ignored %d answers that are not asked in %s: %r", len(ignored), where, ignored[:10])
    return {name: value for name, value in raw.items() if name in asked}


def changes_of(
    fields: Iterable[FieldSpec], names: Iterable[str], before: Mapping[str, Any], after: Mapping[str, Any]
) -> ChangeList:
    """The history's lines for changed answers, with the labels that people read."""
    labels = {spec.name: spec.label for spec in fields}
    return [
        {"field": name, "label": labels.get(name, name), "before": before.get(name), "after": after.get(name)}
        for name in names
    ]
