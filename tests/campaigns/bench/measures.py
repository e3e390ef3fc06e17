"""What is measured: processor time of pages, weight of a first visit, memory, the rules, a second start."""

import itertools
import re
import resource
import signal
import statistics
import sys
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.test import Client

from formation_portal.audit import anchor
from formation_portal.audit.keyed_digests import entry_digests
from formation_portal.audit.marks import make_marks, move_end
from formation_portal.audit.models import COLUMNS, FIRST_PREVIOUS_HASH, ChainMark, Entry, entry_hash
from formation_portal.audit.verification import verify
from formation_portal.contract.needs import needs
from formation_portal.contract.record import Record, validate
from formation_portal.contract.schema import FormSchema
from formation_portal.management.supervision import freeze_loaded_objects
from tests.management.served import PATIENCE, READY, Served, free_port, slow_clients
from tests.needed import has_chromium

from . import Measure, desk, forms, in_chromium, parties, request_cost, validations
from .meter import Meter, browser_of, p95, text_of

_SLOW_PAGES = ("/", "/accounts/login/", "/help/")


def all_measures(*, small: bool) -> Iterator[Measure]:
    call_command("setup_portal", verbosity=0)
    owner, agent = (get_user_model().objects.get(email=f"{name}@example.com") for name in ("demo", "agent"))
    client = browser_of(owner)
    meter = Meter(client, 1 if small else 40)
    # As a web process does before it serves; by now the address modules are loaded.
    meter.nothing()
    freeze_loaded_objects()
    yield "nothing_signed_in", meter.cost(meter.nothing, meter.rounds * 5), "ms"
    yield from request_cost.measures(client, owner, meter)
    yield from parties.measures(client, browser_of(agent), owner, meter, share=5 if small else 1)
    yield from validations.measures(client, owner, meter, share=20 if small else 1)
    yield from desk.measures(owner, meter, many=desk.FEW // 20 if small else desk.MANY)
    yield from _rules(meter.rounds)
    yield from _weights(client, "/", request_cost.start(owner, 60))
    yield from _memory(client, request_cost.start(owner, 60), 10 if small else 1000)
    if has_chromium():
        lengths = {size: request_cost.start(owner, size) for size in (in_chromium.SHORT, in_chromium.LONG)}
        yield from in_chromium.measures(client, lengths, 1 if small else 15)
    else:
        sys.stdout.write("first_field not run: Chromium is not installed\n")
    yield from _verified_audit(small=small)
    yield from _pages_beside_slow_clients(small=small)
    yield "second_start", _second_start(), "s"


def _rules(rounds: int) -> Iterator[Measure]:
    schema = FormSchema.model_validate(forms.product(1000)["schema"])
    raw = {spec.name: "true" for spec in schema.entity_fields if spec.field_type == "boolean"}
    spent = []
    for _ in range(rounds + 1):
        start = time.process_time()
        needs(schema, Record(validate(schema.entity_fields, raw)))
        spent.append(time.process_time() - start)
    yield "rules_1000_fields", statistics.median(spent[1:]) * 1000, "ms"


def _weights(client: Client, *addresses: str) -> Iterator[Measure]:
    """Weigh a first visit, compressed: each page, style sheets and scripts, each file once."""
    files: set[str] = set()
    total = 0.0
    for address in addresses:
        answer = client.get(address)
        total += len(answer.content) / 1000
        files |= set(re.findall(r'(?:href|src)="/static/([^"]+\.(?:css|js|svg))"', text_of(answer)))
    weights = {name: _sent(Path(settings.STATIC_ROOT) / name).stat().st_size / 1000 for name in files}
    yield "first_visit", total + sum(weights.values()), "kB"
    yield "first_visit_requests", len(addresses) + len(files), "requests"
    yield "first_visit_css", sum(weight for name, weight in weights.items() if name.endswith(".css")), "kB"
    yield "first_visit_script", sum(weight for name, weight in weights.items() if name.endswith(".js")), "kB"


def _sent(file: Path) -> Path:
    """Return the file as browsers get it: one that packing makes no smaller has no packed one."""
    packed = file.with_name(f"{file.name}.gz")
    return packed if packed.exists() else file


def _memory(client: Client, address: str, requests: int) -> Iterator[Measure]:
    for _ in range(20):
        client.get(address)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(requests):
        client.get(address)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield "memory", after / 1000, "MB"
    yield f"memory_growth_over_{requests}_requests", (after - before) / 1000, "MB"


def _serve() -> Served:
    more = {"DJANGO_SETTINGS_MODULE": "formation_portal.settings"}
    return Served(Path(settings.DATA_DIR), free_port(), more).start()


def _second_start() -> float:
    for _ in range(2):
        start = time.monotonic()
        server = _serve()
        server.until("http://")
        spent = time.monotonic() - start
        server.end(signal.SIGINT)
    return spent


def _pages_beside_slow_clients(*, small: bool) -> Iterator[Measure]:
    """Milliseconds until an answer of the real server is there, without slow clients and beside two hundred who send
    heads, and two hundred who send bodies, a byte after the other."""
    server, rounds = _serve(), 10 if small else 300
    try:
        server.until(READY)
        _read_pages(server.port, rounds)
        yield "pages_p95", p95(_read_pages(server.port, rounds)), "ms"
        with slow_clients(server.port, each=20 if small else 200):
            yield "pages_p95_beside_400_slow_clients", p95(_read_pages(server.port, rounds)), "ms"
    finally:
        server.end(signal.SIGTERM)


def _read_pages(port: int, rounds: int) -> list[float]:
    spent = []
    for path in itertools.islice(itertools.cycle(_SLOW_PAGES), rounds):
        connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        start = time.monotonic()
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        spent.append(time.monotonic() - start)
        assert answer.status == 200
        connection.close()
    return spent


ROWS = 100_000
_DETAIL = '{"changes":[123456],"revision":17}'


def _verified_audit(*, small: bool) -> Iterator[Measure]:
    """What verifying a hundred thousand entries costs, each anchored. The chain that is there is deleted."""
    Entry.objects.all().delete()
    ChainMark.objects.all().delete()
    settings.AUDIT_ANCHOR.unlink(missing_ok=True)
    make_marks()
    rows = _audit_rows(ROWS // 100 if small else ROWS)
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


def _audit_rows(count: int) -> list[tuple[int, int, str, int, str, int, str, str, str, str, str]]:
    rows, previous = [], FIRST_PREVIOUS_HASH
    for number in range(1, count + 1):
        content = (number, 10**15 + number, "customer", 7, "change", number, "FP-7K3M-92QX-4TBD", "7k3m92qx4t", _DETAIL)
        hashed = entry_hash((*content, previous))
        rows.append((*content, previous, hashed))
        previous = hashed
    return rows
