"""Verifies the chain from first to last entry, against its hashes, the anchor and the rows that entries attest."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, cast

from django.db import connection

from .anchor import Anchored, read_anchor
from .attestation import Digests, altered_rows
from .keyed_digests import entry_digests
from .marks import BEGINNING, END, are_marks_current, read_mark
from .models import COLUMNS, FIRST_PREVIOUS_HASH, TABLE, ChainMark, hash_of

# Number, moment, the hash before, the own hash, its keyed digest, and what it is of.
Row = tuple[Any, Any, str, str, str, str]

_PAGE_SIZE = 5_000
# What is hashed comes as one text: the database joins its lines in less time than it takes to hand them over.
_JOINED = " || %s || ".join(COLUMNS[:-1])
_SELECT = f"SELECT number, moment, previous, hash, keyed_digest, {_JOINED} FROM {TABLE}"  # nosec B608  # noqa: S608  # names of ours
_DETAIL, _APPLICATION = COLUMNS.index("detail"), COLUMNS.index("application")
_ATTESTS = '"rows":{'
# What an entry says of rows that were erased: of all of an application, or by their keys.
_ERASES = ('"deleted":true', '"erased":{')
_ENDS = ("\n",) * (len(COLUMNS) - 2)
# An entry that is being written while the chain is verified may be anchored a moment later.
_IN_FLIGHT_MICROSECONDS = 60_000_000


@dataclass(frozen=True, slots=True, order=True)
class AuditFinding:
    """One thing that is not as it was written: the number of the entry, or of the first of several, and what."""

    number: int
    what: str


@dataclass(frozen=True, slots=True)
class AuditReport:
    """What was found. `unanchored` are the entries whose anchoring is missing, which are findings as well; so are
    `unkeyed`, the entries without a keyed digest of the first key. `older` is the number of the last entry that was
    written before there were keyed digests. No keyed digest fits where `is_other_key`."""

    rows: int
    newest: int
    newest_hash: str
    findings: tuple[AuditFinding, ...]
    unanchored: tuple[tuple[int, str], ...]
    unkeyed: tuple[tuple[int, str], ...]
    older: int
    is_other_key: bool


def verify(*, now: int) -> AuditReport:
    """Everything that is not as it was written, by its number. `now` is in microseconds, as entries keep moments."""
    anchored, doubted = read_anchor()
    keyed = _KeyedDigestReader()
    reader = _ChainReader(anchored, keyed)
    for row in _rows():
        reader.read_row(row)
    is_other_key = keyed.is_other_key()
    # Under another key each attested row would be a finding.
    attested = () if is_other_key else tuple(_altered_rows(reader))
    known, _ = read_anchor() if reader.unanchored else ({}, None)
    # What has no anchor, and had time enough to be given one.
    late = {
        row[0]: row[3]
        for row in reader.unanchored
        if row[0] not in known and not 0 <= now - row[1] < _IN_FLIGHT_MICROSECONDS
    }
    # What the anchor knows and the chain has no longer, at its end.
    cut_off = range(reader.newest + 1, max(keyed.end_number, *reader.anchored, 0) + 1)
    findings = [
        *reader.findings,
        *keyed.findings(reader.newest),
        *_as_findings(cut_off, "is missing from the end", "are missing from the end"),
        *attested,
        *(AuditFinding(one, "is anchored with two hashes") for one in doubted),
    ]
    if reader.count and not anchored:
        findings.append(AuditFinding(1, "and all later entries have no anchor: the anchor is missing or empty"))
    else:
        findings += _as_findings(
            late, "has no anchor: the portal crashed, or something else wrote it", "have no anchor"
        )
    return AuditReport(
        rows=reader.count,
        newest=reader.newest,
        newest_hash=reader.previous,
        findings=tuple(sorted(set(findings))),
        unanchored=tuple(late.items()),
        unkeyed=(*keyed.missing.items(), *keyed.earlier.items()),
        older=keyed.older,
        is_other_key=is_other_key,
    )


def _rows(after: int = 0) -> Iterator[Row]:
    """Every row as the database holds it, in the order of numbers, some thousands at a time."""
    found = _page("WHERE number > %s", (after,)) if after else _page("", ())
    while found:
        yield from found
        found = _page("WHERE number > %s", (found[-1][0],))


def _page(where: str, values: tuple[Any, ...]) -> list[Row]:
    with connection.cursor() as cursor:
        cursor.execute(f"{_SELECT} {where} ORDER BY number LIMIT {_PAGE_SIZE}", (*_ENDS, *values))
        return cast(list[Row], cursor.fetchall())


_WRONG_DIGEST = "has the wrong keyed digest"
_WRONG_DIGESTS = "have the wrong keyed digests"
_EARLIER_KEY = "has the keyed digest of an earlier AUDIT_KEY"
_EARLIER_KEYS = "have the keyed digests of an earlier AUDIT_KEY"
_OTHER_HASH = "does not match the mark of the log's beginning or end"


class _KeyedDigestReader:
    """Compares each entry's keyed digest, and the marks of the chain's beginning and end."""

    def __init__(self) -> None:
        # Read before the chain, which may grow meanwhile.
        self.beginning = read_mark(BEGINNING)
        self.end = read_mark(END)
        self.older = self.beginning.number if self.beginning else 0
        self.end_number = self.end.number if self.end else 0
        self.has_fitting = bool(self.beginning or self.end)
        # Entries without a digest, and with one of a key that is no longer the first, by their numbers.
        self.missing: dict[int, str] = {}
        self.earlier: dict[int, str] = {}
        # The numbers of those whose digest no key makes, and of those that a mark has with another hash.
        self.wrong: list[int] = []
        self.other_hash: list[int] = []

    def read_entry(self, number: int, entry_hash: str, digest: str) -> None:
        for mark in (self.beginning, self.end):
            if mark is not None and mark.number == number and mark.hash != entry_hash:
                self.other_hash.append(number)
        if number <= self.older:
            return
        expected = entry_digests(entry_hash)
        if digest in expected:
            self.has_fitting = True
        if not digest:
            self.missing[number] = entry_hash
        elif digest not in expected:
            self.wrong.append(number)
        elif digest != expected[0]:
            self.earlier[number] = entry_hash

    def is_other_key(self) -> bool:
        """Tell if there are keyed digests and AUDIT_KEY makes none of them."""
        has_digests = bool(self.wrong) or ChainMark.objects.exists()
        return has_digests and not self.has_fitting

    def findings(self, newest: int) -> Iterator[AuditFinding]:
        if self.is_other_key():
            yield AuditFinding(1, "and all later entries have keyed digests of another AUDIT_KEY")
            return
        yield from _as_findings(self.wrong, _WRONG_DIGEST, _WRONG_DIGESTS)
        yield from _as_findings(self.missing, "has no keyed digest", "have no keyed digest")
        yield from _as_findings(self.earlier, _EARLIER_KEY, _EARLIER_KEYS)
        yield from (AuditFinding(number, _OTHER_HASH) for number in self.other_hash)
        if not are_marks_current():
            yield AuditFinding(1, "and the last entry are marked with an earlier AUDIT_KEY")
        if self.beginning is None:
            yield AuditFinding(1, "may have been rewritten: the mark of the log's beginning is missing or altered")
        if self.end is None:
            yield AuditFinding(newest, "may not be the last entry: the mark of the log's end is missing or altered")
        elif (read_mark(END) or self.end).number < newest:
            yield AuditFinding(self.end.number + 1, "follows the entry that is marked as the last")


@dataclass(slots=True)
class _ChainReader:
    """How far the walk has come: the newest number, the hash that the next row has to name, what was wrong."""

    anchored: Anchored
    keyed: _KeyedDigestReader
    count: int = 0
    newest: int = 0
    previous: str = FIRST_PREVIOUS_HASH
    findings: list[AuditFinding] = field(default_factory=list)
    unanchored: list[Row] = field(default_factory=list)
    # The last digest of each row of other tables, by model and key; the entry that has it, and its application.
    digests: Digests = field(default_factory=dict)
    entries: dict[tuple[str, str], tuple[int, str]] = field(default_factory=dict)
    # Applications that were erased with all that their rows said, and rows that were, by model and key.
    deleted: set[str] = field(default_factory=set)
    erased: set[tuple[str, str]] = field(default_factory=set)

    def read_row(self, row: Row) -> None:
        """Judge one row."""
        number, _, previous, hashed, keyed_digest, content = row
        self.count += 1
        if number != self.newest + 1 and not self._skip_to(number):
            return
        if hash_of(content) != hashed:
            self._find("was altered")
        elif previous != self.previous:
            self._find("does not follow the previous entry")
        if (anchored := self.anchored.get(number)) is None:
            self.unanchored.append(row)
        elif anchored != hashed:
            self._find("does not match its anchor")
        self.keyed.read_entry(number, hashed, keyed_digest)
        self.newest, self.previous = number, hashed
        if _ATTESTS in content or any(sign in content for sign in _ERASES):
            self._attest(number, content)

    def _attest(self, number: int, content: str) -> None:
        """Keep what the entry attests of rows in other tables; what was made unreadable has been found already."""
        lines = content.split("\n")
        try:
            detail, application = json.loads(lines[_DETAIL]), lines[_APPLICATION]
        except (ValueError, IndexError):
            return
        for label, digests in detail.get("rows", {}).items():
            self.digests.setdefault(label, {}).update(digests)
            self.entries |= {(label, key): (number, application) for key in digests}
        self.erased |= {(label, key) for label, keys in detail.get("erased", {}).items() for key in keys}
        if detail.get("deleted"):
            self.deleted.add(application)

    def _skip_to(self, number: Any) -> bool:
        """Say what is missing before a number, or that the number is none; then its row is out of the count."""
        if not isinstance(number, int) or number <= self.newest:
            self.findings.append(AuditFinding(self.newest, f"is followed by a row with an invalid number: {number!r}"))
            return False
        self.findings += _as_findings(range(self.newest + 1, number), "is missing", "are missing")
        self.newest = number - 1
        return True

    def _find(self, what: str) -> None:
        self.findings.append(AuditFinding(self.newest + 1, what))


def _altered_rows(reader: _ChainReader) -> Iterator[AuditFinding]:
    """The rows of other tables that don't say what their last entry attests. What was written while this was looked
    at is looked at once more, with the entries that have come since."""
    doubted = {(label, key) for label, expected in reader.digests.items() for key, _ in altered_rows(label, expected)}
    if not doubted:
        return
    for row in _rows(reader.newest):
        reader.read_row(row)
    for label, expected in reader.digests.items():
        for key, what in altered_rows(label, expected):
            # What was slipped in has no entry; it is told at the newest one.
            number, application = reader.entries.get((label, key), (reader.newest, ""))
            is_erased = what == "is gone" and (application in reader.deleted or (label, key) in reader.erased)
            if (label, key) in doubted and not is_erased:
                yield AuditFinding(number, f"has something wrong in its {label} {key}: the row {what}")


def _as_findings(numbers: Iterable[int], one: str, several: str) -> Iterator[AuditFinding]:
    """Numbers as findings, those in a row together."""
    run: list[int] = []
    for number in [*numbers, None]:
        if run and number != run[-1] + 1:
            yield AuditFinding(run[0], one if len(run) == 1 else f"to {run[-1]} {several}")
            run = []
        if number is not None:
            run.append(number)
