"""The chain of audit entries, each with the previous entry's hash. An entry is added in its action's transaction."""

import json
import time
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from django.db import connection, models, transaction

from .anchor import anchor_entry
from .attestation import digests
from .keyed_digests import entry_digests
from .marks import are_marks_current, move_end, renew_digests, renew_marks
from .models import COLUMNS, FIRST_PREVIOUS_HASH, SUBJECT_LIMIT, TABLE, Actor, AuditAction, Entry, entry_hash

# The number is the primary key. Of two transactions with the same number, the second waits for the first to end, and
# adds nothing if the first was committed. SQLite and PostgreSQL do the same.
_INSERT = (
    f"INSERT INTO {TABLE} ({', '.join(COLUMNS)}, keyed_digest) "  # nosec B608  # noqa: S608
    f"VALUES ({', '.join(['%s'] * len(COLUMNS))}, %s) "
    "ON CONFLICT (number) DO NOTHING"
)


class Account(Protocol):
    @property
    def pk(self) -> Any: ...


class Subject(Protocol):
    pk: Any
    reference: Any


def append(
    action: AuditAction,
    *,
    by: Account | None,
    application: Subject | None,
    subject: object = "",
    rows: Iterable[models.Model] = (),
    **detail: Any,
) -> None:
    """Add one entry, committed or rolled back with the action.

    `by` is None for the portal itself; `application` is None for an action about none. `detail` is small and holds no
    personal data; it gets a keyed digest of each of the `rows` that the action has written. From here to the end of
    the transaction other actions wait, so call this last.
    """
    if attested := digests(rows):
        detail["rows"] = attested
    detail_text = json.dumps(detail, sort_keys=True, separators=(",", ":")) if detail else ""
    about = (application.pk, application.reference) if application else (0, "")
    subject_line = str(subject).replace("\n", " ")[:SUBJECT_LIMIT]
    with transaction.atomic(savepoint=False):
        number, hashed = _insert((time.time_ns() // 1000, *_actor(by), action.value, *about, subject_line, detail_text))
        anchor_entry(number, hashed)


def accept(entries: Sequence[tuple[int, str]]) -> None:
    """Give entries (numbers and hashes) a digest by the first key of AUDIT_KEY, and record this in a new entry."""
    if not entries and are_marks_current():
        return
    renew_digests(entries)
    numbers = [number for number, _ in entries]
    with transaction.atomic():
        append(
            AuditAction.ACCEPTANCE,
            by=None,
            application=None,
            count=len(numbers),
            first=min(numbers, default=0),
            last=max(numbers, default=0),
        )
        renew_marks()


def _actor(by: Account | None) -> tuple[str, int]:
    if by is None:
        return Actor.PORTAL.value, 0
    if by.pk is None:
        return Actor.GUEST.value, 0
    return (Actor.AGENT if getattr(by, "is_agent", False) else Actor.CUSTOMER).value, by.pk


def _insert(values: tuple[Any, ...]) -> tuple[int, str]:
    """Insert an entry after the newest one, and return its number and hash. Retries if another process was faster."""
    while True:
        last = Entry.objects.order_by("-number").values_list("number", "hash").first()
        newest, previous = last or (0, FIRST_PREVIOUS_HASH)
        content = (newest + 1, *values, previous)
        hashed = entry_hash(content)
        with connection.cursor() as cursor:
            cursor.execute(_INSERT, (*content, hashed, entry_digests(hashed)[0]))
            is_added = cursor.rowcount == 1
        if is_added:
            move_end((newest, previous), (newest + 1, hashed))
            return newest + 1, hashed
