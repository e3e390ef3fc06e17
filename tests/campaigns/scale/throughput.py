"""Two web processes against one, two nodes against one, and 64 connections against 8.

Each web process is held to the same small share of a core, so that neither the number of cores nor whoever sends the
load decides; what is compared takes turns. Without the right to make control groups this part is not run.
"""

import http.client
import threading
import time
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from tests.campaigns.environment import free_port
from tests.journeys.actors.generic_client import GenericClient
from tests.memory_groups import held_to_share, processor_controller
from tests.nginx import Nginx

from . import cluster
from .browser import ScriptedBrowser
from .people import sign_in
from .results import Result

_FEW, _MANY = 8, 64
_TWICE, _TAIL = 1.8, 8.0


@dataclass
class Round:
    """So many connections for so many seconds: how long each answer took, in ms, and what was no answer."""

    seconds: float
    times: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    @property
    def per_second(self) -> float:
        return len(self.times) / self.seconds


def percentile(times: Sequence[float], share: float) -> float:
    return sorted(times)[min(len(times) - 1, int(share * len(times)))]


def read_pages(
    port: int, paths: Sequence[str], headers: Mapping[str, str], *, connections: int, seconds: float
) -> Round:
    """One round; only what is answered within the time counts."""
    done = Round(seconds)
    until = time.monotonic() + seconds

    def read(number: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE_SECONDS)
        while (began := time.monotonic()) < until:
            number += 1
            try:
                connection.request("GET", paths[number % len(paths)], headers=dict(headers))
                answer = connection.getresponse()
                answer.read()
            except (OSError, http.client.HTTPException) as error:
                done.failures.append(type(error).__name__)
                connection.close()
                continue
            ended = time.monotonic()
            if answer.status != 200:
                done.failures.append(str(answer.status))
            elif ended < until:
                done.times.append((ended - began) * 1000)
        connection.close()

    readers = [threading.Thread(target=read, args=(number,)) for number in range(connections)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    return done


def measure(folder: Path, asked: Namespace) -> Iterator[Result]:
    if processor_controller() is None:
        yield Result("throughput", "not run: control groups for the processor can't be made here")
        return
    with ExitStack() as stack:
        running = stack.enter_context(cluster.running(folder=folder, web=(1, 1, 2), workers=(cluster.WORKERS,)))
        running.run("tests.campaigns.scale.preparing", "1")
        paths, headers = _pages(running)
        one, two, both = running.web
        single, pair = (Nginx(folder / f"nginx-{n}", free_port(), [one.port, two.port][:n]) for n in (1, 2))
        for proxy in (single, pair):
            proxy.start()
            stack.callback(proxy.stop)
        places = {"one_process": one.port, "two_processes": both.port, "one_node": single.port, "two_nodes": pair.port}
        # What a process reads once, it has read.
        for port in places.values():
            read_pages(port, paths, headers, connections=_FEW, seconds=2)
        for pid in [pid for node in running.web for pid in node.web_processes]:
            stack.enter_context(held_to_share(asked.share, pid))
        busy = {name: list[Round]() for name in places}
        for _ in range(asked.rounds):
            for name, port in places.items():
                busy[name].append(read_pages(port, paths, headers, connections=2 * _FEW, seconds=asked.seconds))
        tail = {connections: list[Round]() for connections in (_FEW, _MANY)}
        for _ in range(asked.rounds):
            for connections, rounds in tail.items():
                seconds = asked.seconds * connections / _FEW / 2
                rounds.append(read_pages(both.port, paths, headers, connections=connections, seconds=seconds))
    yield Result("share", asked.share, "of a core for each web process")
    for name, rounds in busy.items():
        yield Result(name, sum(one.per_second for one in rounds) / len(rounds), "pages/s")
    for of in ("processes", "nodes"):
        singular = {"processes": "one_process", "nodes": "one_node"}[of]
        yield Result(f"two_{of}_over_one", _ratio(busy[f"two_{of}"], busy[singular]), "times", least=_TWICE)
    p99 = {connections: percentile(_times(rounds), 0.99) for connections, rounds in tail.items()}
    for connections, value in p99.items():
        yield Result(f"p99_of_{connections}", value, "ms")
    yield Result(f"p99_{_MANY}_over_{_FEW}", p99[_MANY] / p99[_FEW], "times", most=_TAIL)
    failures = [one for rounds in chain(busy.values(), tail.values()) for round in rounds for one in round.failures]
    yield Result("throughput_failures", len(failures), most=0, said=failures)


def _pages(running: cluster.Cluster) -> tuple[list[str], dict[str, str]]:
    """The overview and a section of a new application, and the cookies of its customer."""
    browser = ScriptedBrowser(running.address)
    sign_in(browser, "customer0@example.com")
    overview = GenericClient(browser).start(browser.get("/products/bvi-limited-company/"))
    section = next(address for _, address in overview.links() if "/sections/" in address)
    cookies = "; ".join(f"{one.name}={one.value}" for one in browser.session.cookies)
    return [overview.address, section.partition("#")[0]], {"Cookie": cookies, "Accept-Encoding": "gzip"}


def _ratio(some: Sequence[Round], others: Sequence[Round]) -> float:
    """Of all rounds together: a moment in which the machine was busy with something else fell on both."""
    return sum(one.per_second for one in some) / max(sum(one.per_second for one in others), 1e-9)


def _times(rounds: Sequence[Round]) -> list[float]:
    return [time for one in rounds for time in one.times]


_PATIENCE_SECONDS = 120.0
