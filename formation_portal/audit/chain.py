"""Adding an entry to the chain, in the transaction of the deed that it tells of, and its anchor."""

import json
import time
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from django.db import connection, models, transaction

from .anchor import anchor_entry
from .attestation import digests
from .keyed_digests import entry_digests
from .marks import are_marks_current, move_end, renew_digests, renew_marks
from .models import COLUMNS, FIRST_PREVIOUS_HASH, SUBJECT_LIMIT, TABLE, Actor, AuditAction, Entry, as_line, entry_hash

# The number is the key, so of two who take the same one only the first has it; the other waits for the first to end,
# and does nothing where it was committed. SQLite and PostgreSQL alike.
_INSERT = (
    # Names of our own.
    f"INSERT INTO {TABLE} ({', '.join(COLUMNS)}, keyed_digest) "  # nosec B608  # noqa: S608
    f"VALUES ({', '.join(['%s'] * len(COLUMNS))}, %s) "
    "ON CONFLICT (number) DO NOTHING"
)


class Account(Protocol):
    """An account, or a guest, who has none."""

    @property
    def pk(self) -> Any:
        """The account's number; None without one."""


class Subject(Protocol):
    """An application, as far as an entry names it."""

    pk: Any
    reference: Any


def append(
    deed: AuditAction,
    *,
    by: Account | None,
    application: Subject | None,
    subject: object = "",
    rows: Iterable[models.Model] = (),
    **detail: Any,
) -> None:
    """Add one entry: three queries, committed or rolled back with the deed. `by` is None where the portal does it, and
    `application` where it is about none.

    `detail` is small and holds no personal data; of the `rows` that the deed has written it gets a keyed digest each.
    From here to the end of the transaction other deeds wait, so this is the last thing that a deed does.
    """
    if attested := digests(rows):
        detail["rows"] = attested
    detail_text = json.dumps(detail, sort_keys=True, separators=(",", ":")) if detail else ""
    about = (application.pk, application.reference) if application else (0, "")
    values = (time.time_ns() // 1000, *_actor(by), deed.value, *about)
    with transaction.atomic(savepoint=False):
        number, hashed = _insert((*values, as_line(str(subject), SUBJECT_LIMIT), detail_text))
        anchor_entry(number, hashed)


def accept(entries: Sequence[tuple[int, str]]) -> None:
    """Give entries, by their numbers and hashes, a keyed digest of the first key, and add an entry that says so, which
    is marked as the end of the chain."""
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
    """The number and the hash under which it was kept: after the newest that there is when nobody else adds one."""
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
