"""What is measured: processor time of pages, weight of a first visit, memory, the rules, a second start."""

import gc
import os
import re
import resource
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.test import Client

from formation_portal.contract.needs import needs
from formation_portal.contract.record import Record, validate
from formation_portal.contract.schema import FormSchema
from formation_portal.management.supervision import freeze_loaded_objects
from tests.campaigns.bench import audit, desk, forms, in_chromium, parties, request_cost, slow_clients, slowest
from tests.needed import has_chromium

Measure = tuple[str, float, str]


def all_measures(*, small: bool) -> Iterator[Measure]:
    """Every figure, in the order of the goals."""
    rounds = 1 if small else 40
    client, owner = _set_up()
    cost_against_nothing = partial(_cost_against_nothing, client, rounds)
    yield "nothing_signed_in", _cost(lambda: client.get("/nothing/"), rounds * 5), "ms"
    yield from request_cost.measures(client, owner, cost_against_nothing, partial(_in_turns, rounds))
    yield from slowest.measures(client, owner, rounds)
    share = 5 if small else 1
    yield from parties.measures(client, _agent(), owner, cost_against_nothing, share=share)
    yield from desk.measures(owner, cost_against_nothing, many=desk.FEW // 20 if small else desk.MANY)
    yield from _rules(rounds)
    yield from _weights(client, "/", request_cost.start(owner, 60))
    yield from _memory(client, request_cost.start(owner, 60), 10 if small else 1000)
    if has_chromium():
        lengths = {size: request_cost.start(owner, size) for size in (in_chromium.SHORT, in_chromium.LONG)}
        yield from in_chromium.measures(client, lengths, 1 if small else 15)
    yield from audit.measures(small=small)
    yield from slow_clients.measures(small=small)
    yield "second_start", _second_start(), "s"


def _set_up() -> tuple[Client, Any]:
    call_command("setup_portal", verbosity=0)
    owner = get_user_model().objects.get(email="demo@example.com")
    # Packed as a browser takes it.
    client = Client(headers={"Accept-Encoding": "gzip"})
    client.force_login(owner, backend="allauth.account.auth_backends.AuthenticationBackend")
    # As a web process does before it serves; by now the address modules are loaded.
    client.get("/nothing/")
    freeze_loaded_objects()
    return client, owner


def _agent() -> Client:
    client = Client(headers={"Accept-Encoding": "gzip"})
    agent = get_user_model().objects.get(email="agent@example.com")
    client.force_login(agent, backend="allauth.account.auth_backends.AuthenticationBackend")
    return client


def _cost(call: Callable[[], Any], rounds: int) -> float:
    """Median processor time of a call in ms, after two that warm up. The call must succeed."""
    for _ in range(2):
        answer = call()
        assert answer.status_code < 400, answer.status_code
    gc.collect()
    return statistics.median(_spent(call) for _ in range(rounds)) * 1000


def _cost_against_nothing(client: Client, rounds: int, call: Callable[[], Any]) -> tuple[float, float]:
    """What the call costs in ms, and against an empty page that is asked for in turns with it."""
    return _in_turns(rounds, call, lambda: client.get("/nothing/"))


def _in_turns(
    rounds: int, call: Callable[[], Any], other: Callable[[], Any], *, between: Callable[[], Any] = lambda: None
) -> tuple[float, float]:
    """What the call costs in ms, and against the other, which takes turns with it.

    With a call `between`, both come after it: after a long page any page is slower, as its memory is no longer at hand.
    """
    assert max(call().status_code, other().status_code) < 400
    gc.collect()
    spent = []
    for _ in range(rounds):
        between()
        one = _spent(call)
        between()
        spent.append((one, _spent(other)))
    return statistics.median(one for one, _ in spent) * 1000, statistics.median(one / two for one, two in spent)


def _spent(call: Callable[[], Any]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def _rules(rounds: int) -> Iterator[Measure]:
    schema = FormSchema.model_validate(forms.product(1000)["schema"])
    raw = {spec.name: "true" for spec in schema.entity_fields if spec.field_type == "boolean"}

    def find_needs() -> None:
        needs(schema, Record(validate(schema.entity_fields, raw)))

    find_needs()
    spent = []
    for _ in range(rounds):
        start = time.process_time()
        find_needs()
        spent.append(time.process_time() - start)
    yield "rules_1000_fields", statistics.median(spent) * 1000, "ms"


def _weights(client: Client, *addresses: str) -> Iterator[Measure]:
    """Weigh a first visit, compressed: each page, style sheets and scripts, each file once."""
    files: set[str] = set()
    total = 0.0
    for address in addresses:
        answer = client.get(address)
        total += len(answer.content) / 1000
        files |= set(re.findall(r'(?:href|src)="/static/([^"]+\.(?:css|js|svg))"', request_cost.text_of(answer)))
    weights = {name: _sent(Path(settings.STATIC_ROOT) / name).stat().st_size / 1000 for name in files}
    yield "first_visit", total + sum(weights.values()), "kB"
    yield "first_visit_requests", len(addresses) + len(files), "requests"
    yield "first_visit_css", sum(weight for name, weight in weights.items() if name.endswith(".css")), "kB"
    yield "first_visit_script", sum(weight for name, weight in weights.items() if name.endswith(".js")), "kB"


def _sent(file: Path) -> Path:
    """The file as browsers get it: one that packing makes no smaller has no packed one."""
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


def _second_start() -> float:
    """Seconds from the command to the printed address, when everything stands already."""
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "formation_portal.settings", "PORT": str(_free_port())}
    for _ in range(2):
        start = time.monotonic()
        server = subprocess.Popen(
            [sys.executable, "manage.py", "serve"], env=environment, stdout=subprocess.PIPE, text=True
        )
        assert server.stdout is not None
        for line in server.stdout:
            if "http://" in line:
                break
        spent = time.monotonic() - start
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=30)
    return spent


def _free_port() -> int:
    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
