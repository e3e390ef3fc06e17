"""What verifying the audit costs: a hundred thousand entries, each anchored."""

import time
from collections.abc import Iterator

from django.conf import settings

from formation_portal.audit import anchor
from formation_portal.audit.keyed_digests import entry_digests
from formation_portal.audit.marks import make_marks, move_end
from formation_portal.audit.models import COLUMNS, FIRST_PREVIOUS_HASH, ChainMark, Entry, entry_hash
from formation_portal.audit.verification import verify

Measure = tuple[str, float, str]

ROWS = 100_000
_DETAIL = '{"changes":[123456],"revision":17}'


def measures(*, small: bool) -> Iterator[Measure]:
    """Processor time of this process. The chain that is there is deleted."""
    Entry.objects.all().delete()
    ChainMark.objects.all().delete()
    settings.AUDIT_ANCHOR.unlink(missing_ok=True)
    make_marks()
    rows = _rows(ROWS // 100 if small else ROWS)
    entries = (Entry(**dict(zip(COLUMNS, row, strict=True)), keyed_digest=entry_digests(row[-1])[0]) for row in rows)
    Entry.objects.bulk_create(entries, batch_size=1000)
    move_end((0, FIRST_PREVIOUS_HASH), (rows[-1][0], rows[-1][-1]))
    anchor.write_anchor((row[0], row[-1]) for row in rows)
    started = time.process_time()
    report = verify(now=time.time_ns() // 1000)
    spent = time.process_time() - started
    assert not report.findings
    assert report.rows == len(rows)
    yield f"audit_verify_{report.rows}", spent, "s"


def _rows(count: int) -> list[tuple[int, int, str, int, str, int, str, str, str, str, str]]:
    rows, previous = [], FIRST_PREVIOUS_HASH
    for number in range(1, count + 1):
        content = (number, 10**15 + number, "customer", 7, "change", number, "FP-7K3M-92QX-4TBD", "7k3m92qx4t", _DETAIL)
        hashed = entry_hash((*content, previous))
        rows.append((*content, previous, hashed))
        previous = hashed
    return rows
