"""The processes of a soak: web server, service, proxy and two relay workers, as in production but for the faults."""

import os
import socket
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from multiprocessing import Pipe
from pathlib import Path
from typing import Self

import requests
from django.conf import settings
from django.db import connections

from formation_portal.management.supervision import Child
from formation_portal.management.web_server import listen, serve
from tests.campaigns.faults import proxy
from tests.campaigns.faults.environment import Ports
from tests.campaigns.faults.processes import relay
from tests.service import fault_plan
from tests.service.fault_injection import inject_faults

from .faults import Share
from .samples import Sample, sample

WORKERS = 2
_HOST = "127.0.0.1"
# What leaves nothing behind by itself. A killed process is begun anew, and what it leaked is gone.
_AT_THE_SERVICE = (
    fault_plan.ERROR_BEFORE,
    fault_plan.ERROR_AFTER,
    fault_plan.TOO_MANY,
    fault_plan.BROKEN_JSON,
)
_ON_THE_WIRE = (proxy.ANSWER_LOST, proxy.CUT_BODY, proxy.SLOW_DRIP)
_LOOK_SECONDS = 0.1
# More than either web server has threads, so that afterwards each of them has begun.
_AT_ONCE = 24


class Member(Child):
    """One process of the soak. None of them may end before it does. `port` is where it listens."""

    def __init__(self, name: str, work: Callable[[], None], port: int = 0) -> None:
        super().__init__(name, work)
        self.port = port

    @property
    def pid(self) -> int:
        """Its number."""
        return self.process.pid or 0


class Processes:
    """Running while the block lasts."""

    def __init__(self, ports: Ports, folder: Path, *, share: float) -> None:
        # It reads the names of the static files, which are collected by now.
        from formation_portal.wsgi import application

        self._application = application
        self._ports, self._folder, self._share = ports, folder, share
        # Nothing is ever ordered; the proxy listens all the same.
        self._orders_read, self._orders = Pipe(duplex=False)
        self._members = [
            # In this order: without a service that answers, the web server would have no catalog for a while.
            Member("service", self._serve_with_faults, ports.service),
            Member("proxy", self._pass_on_with_faults, ports.proxy),
            Member("web", partial(serve, application, listen(_HOST, ports.web)), ports.web),
            *(Member(f"worker_{number}", relay) for number in range(1, WORKERS + 1)),
        ]

    def __enter__(self) -> Self:
        # A connection that two processes hold is nobody's.
        connections.close_all()
        for member in self._members:
            member.start()
            if member.port:
                _wait_for(member.port)
        return self

    def __exit__(self, *_: object) -> None:
        for member in reversed(self._members):
            member.stop()

    @property
    def ledger(self) -> Path:
        """A line for every fault."""
        return self._folder / "faults"

    def warm_up(self, cookies: Mapping[str, str]) -> None:
        """Have all threads of both web servers read their database at once."""
        with ThreadPoolExecutor(_AT_ONCE) as crowd:
            for port, path in ((self._ports.web, "/applications/"), (self._ports.service, "/api/v1/catalog")):
                get = partial(requests.get, f"http://{_HOST}:{port}{path}", cookies=cookies, headers=self._key)
                for asked in [crowd.submit(get) for _ in range(2 * _AT_ONCE)]:
                    asked.result().raise_for_status()

    @property
    def _key(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {settings.FORMATION_SERVICE_KEY}"}

    def samples(self) -> dict[str, Sample]:
        """Of each process that is ours to judge, by name. Raises OSError where one has ended."""
        return {one.name: sample(one.pid) for one in self._members if one.name != "proxy"}

    def _serve_with_faults(self) -> None:
        # A plan from the settings comes to an end; a soak must not.
        inject_faults(self._plan(_AT_THE_SERVICE))
        serve(self._application, listen(_HOST, self._ports.service))

    def _pass_on_with_faults(self) -> None:
        proxy.Proxy(
            port=self._ports.proxy,
            service_port=self._ports.service,
            plan=self._plan(_ON_THE_WIRE),
            record=self._folder,
            parent=os.getppid(),
        ).run(self._orders_read)

    def _plan(self, kinds: tuple[str, ...]) -> Share:
        share = self._share * len(kinds) / len(_AT_THE_SERVICE + _ON_THE_WIRE)
        return Share(share, kinds=kinds, ledger=self.ledger)


def _wait_for(port: int) -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        with socket.socket() as probe:
            if probe.connect_ex((_HOST, port)) == 0:
                return
        time.sleep(_LOOK_SECONDS)
    raise TimeoutError(f"Nobody listens at {port}")
