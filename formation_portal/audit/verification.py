"""The verification of the chain against its hashes, its keyed digests, its anchor and the rows that entries attest."""

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

# The number, the moment, the previous hash, the hash, its keyed digest, and the hashed content.
Row = tuple[Any, Any, str, str, str, str]

_PAGE_SIZE = 5_000
# The hashed content comes as one text: the database joins columns faster than it returns them singly.
_JOINED = " || %s || ".join(COLUMNS[:-1])
_SELECT = f"SELECT number, moment, previous, hash, keyed_digest, {_JOINED} FROM {TABLE}"  # nosec B608  # noqa: S608  # names of ours
_DETAIL, _APPLICATION = COLUMNS.index("detail"), COLUMNS.index("application")
_ATTESTS = '"rows":{'
# The signs of erased rows in an entry: all of an application, or rows by their keys.
_ERASES = ('"deleted":true', '"erased":{')
_ENDS = ("\n",) * (len(COLUMNS) - 2)
# An entry that is being written while the chain is verified may be anchored a moment later.
_IN_FLIGHT_MICROSECONDS = 60_000_000


@dataclass(frozen=True, slots=True, order=True)
class AuditFinding:
    number: int
    what: str


@dataclass(frozen=True, slots=True)
class AuditReport:
    """The result of a verification. `findings` include the `unanchored` and `unkeyed` entries. `older` is the number
    of the last entry from before keyed digests. `is_other_key` means that no keyed digest fits."""

    rows: int
    newest: int
    newest_hash: str
    findings: tuple[AuditFinding, ...]
    unanchored: tuple[tuple[int, str], ...]
    unkeyed: tuple[tuple[int, str], ...]
    older: int
    is_other_key: bool


def verify(*, now: int) -> AuditReport:
    """Verify the whole chain. `now` is in microseconds."""
    anchored, doubly_anchored = read_anchor()
    keyed = _KeyedDigestReader()
    reader = _ChainReader(anchored, keyed)
    for row in _rows():
        reader.read_row(row)
    is_other_key = keyed.is_other_key()
    # Under another key each attested row would be a finding.
    attested = () if is_other_key else tuple(_altered_rows(reader))
    unanchored: dict[int, str] = {}
    if reader.unanchored:
        newly_anchored, _ = read_anchor()
        for number, moment, _, entry_hash, *_ in reader.unanchored:
            if number not in newly_anchored and not 0 <= now - moment < _IN_FLIGHT_MICROSECONDS:
                unanchored[number] = entry_hash
    # Numbers that the anchor or the mark of the end has, but not the chain.
    cut_off = range(reader.newest + 1, max(keyed.end_number, *reader.anchored, 0) + 1)
    findings = [
        *reader.findings,
        *keyed.findings(reader.newest),
        *_as_findings(cut_off, "is missing from the end", "are missing from the end"),
        *attested,
    ]
    for number in doubly_anchored:
        findings.append(AuditFinding(number, "is anchored with two hashes"))
    if reader.count and not anchored:
        findings.append(AuditFinding(1, "and all later entries have no anchor: the anchor is missing or empty"))
    else:
        findings += _as_findings(
            unanchored, "has no anchor: the portal crashed, or something else wrote it", "have no anchor"
        )
    return AuditReport(
        rows=reader.count,
        newest=reader.newest,
        newest_hash=reader.previous,
        findings=tuple(sorted(set(findings))),
        unanchored=tuple(unanchored.items()),
        unkeyed=(*keyed.missing.items(), *keyed.earlier.items()),
        older=keyed.older,
        is_other_key=is_other_key,
    )


def _rows(after: int | None = None) -> Iterator[Row]:
    """Read all rows, or those after a number, some thousands at a time."""
    while True:
        where = "" if after is None else "WHERE number > %s"
        values = () if after is None else (after,)
        with connection.cursor() as cursor:
            cursor.execute(f"{_SELECT} {where} ORDER BY number LIMIT {_PAGE_SIZE}", (*_ENDS, *values))
            page = cast(list[Row], cursor.fetchall())
        if not page:
            return
        yield from page
        after = page[-1][0]


class _KeyedDigestReader:
    def __init__(self) -> None:
        # Read before the chain, which may grow meanwhile.
        self.beginning = read_mark(BEGINNING)
        self.end = read_mark(END)
        self.older = self.beginning.number if self.beginning else 0
        self.end_number = self.end.number if self.end else 0
        self.has_fitting = bool(self.beginning or self.end)
        # The hashes of entries without a digest, and of those with a digest of an earlier key, by their numbers.
        self.missing: dict[int, str] = {}
        self.earlier: dict[int, str] = {}
        # The numbers of entries whose digest fits no key, and of entries for which a mark has another hash.
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
        has_digests = bool(self.wrong) or ChainMark.objects.exists()
        return has_digests and not self.has_fitting

    def findings(self, newest: int) -> Iterator[AuditFinding]:
        if self.is_other_key():
            yield AuditFinding(1, "and all later entries have keyed digests of another AUDIT_KEY")
            return
        yield from _as_findings(self.wrong, "has the wrong keyed digest", "have the wrong keyed digests")
        yield from _as_findings(self.missing, "has no keyed digest", "have no keyed digest")
        yield from _as_findings(
            self.earlier,
            "has the keyed digest of an earlier AUDIT_KEY",
            "have the keyed digests of an earlier AUDIT_KEY",
        )
        for number in self.other_hash:
            yield AuditFinding(number, "does not match the mark of the log's beginning or end")
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
    anchored: Anchored
    keyed: _KeyedDigestReader
    count: int = 0
    newest: int = 0
    previous: str = FIRST_PREVIOUS_HASH
    findings: list[AuditFinding] = field(default_factory=list)
    unanchored: list[Row] = field(default_factory=list)
    # The last digest of each attested row, by label and key, and the number and application of its entry.
    digests: Digests = field(default_factory=dict)
    entries: dict[tuple[str, str], tuple[int, str]] = field(default_factory=dict)
    # Applications that were erased with all their rows, and single erased rows, by label and key.
    deleted: set[str] = field(default_factory=set)
    erased: set[tuple[str, str]] = field(default_factory=set)

    def read_row(self, row: Row) -> None:
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
        self.newest = number
        self.previous = hashed
        if _ATTESTS in content or any(sign in content for sign in _ERASES):
            self._attest(number, content)

    def _attest(self, number: int, content: str) -> None:
        lines = content.split("\n")
        try:
            detail = json.loads(lines[_DETAIL])
            application = lines[_APPLICATION]
        except (ValueError, IndexError):
            # The entry's hash does not fit, so the entry is a finding already.
            return
        for label, digests in detail.get("rows", {}).items():
            self.digests.setdefault(label, {}).update(digests)
            self.entries |= {(label, key): (number, application) for key in digests}
        for label, keys in detail.get("erased", {}).items():
            self.erased |= {(label, key) for key in keys}
        if detail.get("deleted"):
            self.deleted.add(application)

    def _skip_to(self, number: Any) -> bool:
        """Add a finding for numbers missing before this number. Return False if the number is invalid."""
        if not isinstance(number, int) or number <= self.newest:
            self.findings.append(AuditFinding(self.newest, f"is followed by a row with an invalid number: {number!r}"))
            return False
        self.findings += _as_findings(range(self.newest + 1, number), "is missing", "are missing")
        self.newest = number - 1
        return True

    def _find(self, what: str) -> None:
        self.findings.append(AuditFinding(self.newest + 1, what))


def _altered_rows(reader: _ChainReader) -> Iterator[AuditFinding]:
    """Find the attested rows that differ from the digest of their last entry.

    Each is compared again after reading the entries added meanwhile, since an action may have written it meanwhile.
    """
    suspects: set[tuple[str, str]] = set()
    for label, expected in reader.digests.items():
        suspects |= {(label, key) for key, _ in altered_rows(label, expected)}
    if not suspects:
        return
    for row in _rows(reader.newest):
        reader.read_row(row)
    for label, expected in reader.digests.items():
        for key, fault in altered_rows(label, expected):
            # A row that was slipped in has no entry, and is reported at the newest one.
            number, application = reader.entries.get((label, key), (reader.newest, ""))
            is_erased = fault == "is gone" and (application in reader.deleted or (label, key) in reader.erased)
            if (label, key) in suspects and not is_erased:
                yield AuditFinding(number, f"has something wrong in its {label} {key}: the row {fault}")


def _as_findings(numbers: Iterable[int], singular: str, plural: str) -> Iterator[AuditFinding]:
    """Make a finding of each run of consecutive numbers."""
    run: list[int] = []
    for number in [*numbers, None]:
        if run and number != run[-1] + 1:
            yield AuditFinding(run[0], singular if len(run) == 1 else f"to {run[-1]} {plural}")
            run = []
        if number is not None:
            run.append(number)
