"""kill -9 of PostgreSQL while customers save: the portal's own web server and worker run on through all of it."""

import random
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connections

from tests.scratch_postgres import KEYS, Cluster, running_cluster

from .customer import Customer
from .scratch import Result, environment, portal

PROJECT = Path(__file__).resolve().parents[3]
_CUSTOMERS = 3
_PATIENCE_SECONDS = 60


def killed_postmasters(*, times: int, seed: int) -> Iterator[Result]:
    """Lines for so many kills. The goal for `back_slowest_seconds` is 5."""
    with running_cluster(durable=True) as cluster:
        for name in ("portal", "formation"):
            cluster.make_database(name)
        urls = {"DATABASE_URL": f"{cluster.url}/portal", "SERVICE_DATABASE_URL": f"{cluster.url}/formation"}
        with portal(**urls, **KEYS, HURRIED="yes") as folder, _served(folder) as (address, server):
            yield from _campaign(cluster, address, server, times=times, dice=random.Random(seed))


def _campaign(
    cluster: Cluster, address: str, server: "subprocess.Popen[str]", *, times: int, dice: random.Random
) -> Iterator[Result]:
    customers = _customers(address)
    before = _descendants(server.pid)
    for customer in customers:
        customer.start()
    back = []
    for _ in range(times):
        _until(lambda: all(customer.acknowledged for customer in customers))
        time.sleep(dice.uniform(0, 1))
        back.append(_kill_and_start(cluster, customers))
    for customer in customers:
        customer.stop()
    connections.close_all()
    yield "postgres_kills", times
    yield "postgres_acknowledged", sum(len(customer.acknowledged) for customer in customers)
    yield "postgres_lost", sum(_lost(customer) for customer in customers)
    yield "postgres_pages_503", sum(customer.outages for customer in customers)
    yield "postgres_pages_503_without_form", sum(customer.formless for customer in customers)
    yield "postgres_odd_answers", " ".join(odd for customer in customers for odd in customer.odd) or 0
    yield "postgres_back_slowest_seconds", round(max(back), 2)
    yield "postgres_not_delivered", _left_to_deliver()
    yield "postgres_processes_replaced", len(before - _descendants(server.pid))


def _kill_and_start(cluster: Cluster, customers: list[Customer]) -> float:
    """Seconds from the moment at which the database takes connections until every customer has saved."""
    outages = [customer.outages for customer in customers]
    cluster.kill()
    _until(lambda: all(customer.outages > before for customer, before in zip(customers, outages, strict=True)))
    cluster.start()
    began = time.monotonic()
    _until(lambda: all(customer.last_success > began for customer in customers))
    return max(customer.last_success for customer in customers) - began


def _lost(customer: Customer) -> int:
    """How many acknowledged saves the history does not know: later ones can't hide that."""
    from formation_portal.applications.models import Change

    reference = customer.page.split("/applications/")[1].split("/")[0]
    history = Change.objects.filter(application__reference=reference)
    kept = {one["after"] for change in history for one in change.changes if one["field"] == "entity.name"}
    return sum(f"Larkfield {number}" not in kept for number in customer.acknowledged)


def _left_to_deliver() -> int:
    """What the worker has not brought to the service, after as long as it takes it."""
    from formation_portal.relay.models import Delivery, DeliveryState

    left = Delivery.objects.exclude(state=DeliveryState.DONE)
    _until(lambda: not left.exists(), or_else=lambda: None)
    return left.count()


def _customers(address: str) -> list[Customer]:
    """Signed in, each with the page of an application of their own."""
    from django.conf import settings
    from django.contrib.auth import get_user_model
    from django.test import Client

    from formation_portal.applications import services
    from tests import factories

    from . import writing

    writing.prepare()
    owner = get_user_model().objects.get(email="demo@example.com")
    client = Client()
    client.force_login(owner, backend="allauth.account.auth_backends.AuthenticationBackend")
    cookies = {settings.SESSION_COOKIE_NAME: client.cookies[settings.SESSION_COOKIE_NAME].value}
    references = [services.start(owner=owner, product=factories.product()).reference for _ in range(_CUSTOMERS)]
    return [Customer(f"{address}/applications/{one}/sections/the-company/", cookies) for one in references]


@contextmanager
def _served(folder: Path) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """`manage.py serve` on a free port, once it takes connections."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "manage.py", "serve"]
    log = (folder / "server.log").open("w")
    server = subprocess.Popen(
        command, cwd=PROJECT, env=environment(folder, PORT=str(port)), stdout=subprocess.PIPE, stderr=log, text=True
    )
    try:
        assert server.stdout is not None
        assert any("Ctrl-C" in line for line in server.stdout), "it never began to serve"
        yield f"http://127.0.0.1:{port}", server
    finally:
        server.terminate()
        server.communicate(timeout=_PATIENCE_SECONDS)
        log.close()


def _descendants(pid: int) -> set[int]:
    output = subprocess.run(["ps", "-e", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    pairs = [tuple(map(int, line.split())) for line in output.splitlines()]
    found, new = set[int](), {pid}
    while new:
        new = {child for child, parent in pairs if parent in new}
        found |= new
    return found


def _fail() -> None:
    raise TimeoutError("it did not come about")


def _until(happens: Callable[[], bool], *, or_else: Callable[[], None] = _fail) -> None:
    """Look until it is so."""
    until = time.monotonic() + _PATIENCE_SECONDS
    while not happens():
        if time.monotonic() > until:
            or_else()
            return
        time.sleep(0.01)
