"""Pages of the real server while two hundred clients send heads, and two hundred bodies, a byte after the other."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from http.client import HTTPConnection

from tests.management.served import PATIENCE, free_port, slow_clients

_PATHS = ("/", "/accounts/login/", "/help/")


def measures(*, small: bool) -> Iterator[tuple[str, float, str]]:
    """Milliseconds until an answer is there, without slow clients and beside them."""
    port, rounds = free_port(), 10 if small else 300
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "formation_portal.settings", "PORT": str(port)}
    command = [sys.executable, "manage.py", "serve"]
    server = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        assert any("Ctrl-C" in line for line in server.stdout)
        _spent(port, rounds)
        yield "pages_p95", _p95(_spent(port, rounds)), "ms"
        with slow_clients(port, each=20 if small else 200):
            yield "pages_p95_beside_400_slow_clients", _p95(_spent(port, rounds)), "ms"
    finally:
        server.terminate()
        server.communicate(timeout=PATIENCE)


def _p95(spent: list[float]) -> float:
    return statistics.quantiles(spent, n=20)[-1] * 1000


def _spent(port: int, rounds: int) -> list[float]:
    spent = []
    for number in range(rounds):
        connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        start = time.monotonic()
        connection.request("GET", _PATHS[number % len(_PATHS)])
        answer = connection.getresponse()
        answer.read()
        spent.append(time.monotonic() - start)
        assert answer.status == 200
        connection.close()
    return spent
