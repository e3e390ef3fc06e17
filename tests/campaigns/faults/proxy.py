"""A TCP proxy before the service, for what goes wrong on the wire. It breaks only the documented POSTs, and
transitions.

What it draws for a request counts once it has happened: where the service has spoilt the same answer already, that goes
on as it is, and the fault is owed to another request.
"""

import asyncio
import json
import os
import signal
import time
from collections.abc import Awaitable, Callable, Mapping
from multiprocessing.connection import Connection
from pathlib import Path

from tests.other_service.fault_injection import Plan
from tests.process_table import children

from .exchange import Request, answer_to, cut, is_good, read_request, reset
from .listening_socket import ListeningSocket

ANSWER_LOST, CUT_BODY, SLOW_DRIP, WORKER_KILLED = "answer_lost", "cut_body", "slow_drip", "worker_killed"
KINDS = (ANSWER_LOST, CUT_BODY, SLOW_DRIP, WORKER_KILLED)

# A request that is passed on only after its line was cut: later than any look that doesn't wait, sooner than the settle
# time of a campaign, which is a second.
LATE_SECONDS = 0.6
_DRIP_SECONDS = 0.05
# The state of a connection in /proc/net/tcp (proc(5)).
_ESTABLISHED = "01"
FaultHandler = Callable[[Request, asyncio.StreamWriter], Awaitable[bool]]


class Proxy:
    """Stands at `port` before the service at `service_port`. What has come by and what was spoilt stand in `record`."""

    def __init__(self, *, port: int, service_port: int, plan: Plan | None, record: Path, parent: int) -> None:
        self._entrance = ListeningSocket(port, self._serve)
        self._service_port, self._plan, self._parent = service_port, plan, parent
        self._faults = (record / "wire").open("a", buffering=1)
        self._seen = (record / "seen").open("a", buffering=1)
        self._owed: dict[str, list[str]] = {}
        self._turns: dict[str, int] = {}

    def run(self, orders: Connection) -> None:
        """Until `orders` are closed. One says that nobody gets in, and how: an entrance's kind, or None."""
        with self._faults, self._seen:
            asyncio.run(self._run(orders))

    async def _run(self, orders: Connection) -> None:
        self._entrance.stand(None)
        loop, ended = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(orders.fileno(), self._hear, orders, ended)
        await ended.wait()
        loop.remove_reader(orders.fileno())
        await self._entrance.finish()

    def _hear(self, orders: Connection, ended: asyncio.Event) -> None:
        try:
            self._entrance.stand(orders.recv())
        except EOFError:
            ended.set()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            request = await read_request(reader)
            if request is not None:
                self._note(request)
                await self._answer(request, writer)
        finally:
            writer.close()

    async def _answer(self, request: Request, writer: asyncio.StreamWriter) -> None:
        kind = self._draw(request)
        if kind is None:
            await _say(await self._ask(request), writer)
        elif await self._fault_handlers[kind](request, writer):
            self._faults.write(json.dumps({"endpoint": request.endpoint, "kind": kind, "key": request.key}) + "\n")
        else:
            self._owed.setdefault(request.endpoint, []).append(kind)

    def _draw(self, request: Request) -> str | None:
        if self._plan is None or not request.endpoint:
            return None
        kind = self._plan.draw(request.endpoint, request.thing)
        owed = self._owed.get(request.endpoint)
        return kind or (owed.pop() if owed else None)

    @property
    def _fault_handlers(self) -> Mapping[str, FaultHandler]:
        """The ways to spoil an exchange; each returns whether it has."""
        return {
            ANSWER_LOST: self._lose_answer,
            CUT_BODY: self._cut_body,
            SLOW_DRIP: self._drip,
            WORKER_KILLED: self._kill_worker,
        }

    async def _lose_answer(self, request: Request, writer: asyncio.StreamWriter) -> bool:
        """By turns before the service begins, which it then does late, and after it has done."""
        if self._turn(ANSWER_LOST, request):
            reset(writer)
            await asyncio.sleep(LATE_SECONDS)
            return is_good(await self._ask(request))
        answer = await self._ask(request)
        if is_good(answer):
            reset(writer)
            return True
        await _say(answer, writer)
        return False

    async def _cut_body(self, request: Request, writer: asyncio.StreamWriter) -> bool:
        answer = await self._ask(request)
        await _say(cut(answer) if is_good(answer) else answer, writer)
        return is_good(answer)

    async def _drip(self, request: Request, writer: asyncio.StreamWriter) -> bool:
        answer = await self._ask(request)
        if not is_good(answer):
            await _say(answer, writer)
            return False
        for index in range(len(answer)):
            await _say(answer[index : index + 1], writer)
            if writer.is_closing():
                break
            await asyncio.sleep(_DRIP_SECONDS)
        return True

    async def _kill_worker(self, request: Request, writer: asyncio.StreamWriter) -> bool:
        """By turns before the service is asked, which then never is, and after it has done."""
        is_before = self._turn(WORKER_KILLED, request)
        answer = b"" if is_before else await self._ask(request)
        if not is_before and not is_good(answer):
            await _say(answer, writer)
            return False
        worker = _child_with_port(writer.get_extra_info("peername")[1], parent=self._parent)
        if worker is None:
            await _say(answer, writer)
            return False
        os.kill(worker, signal.SIGKILL)
        return True

    def _turn(self, kind: str, request: Request) -> bool:
        # Endpoints begin with different turns, so that few faults of a kind show both sides as well.
        name = f"{kind}/{request.endpoint}"
        self._turns[name] = self._turns.get(name, len(request.endpoint)) + 1
        return self._turns[name] % 2 == 1

    async def _ask(self, request: Request) -> bytes:
        return await answer_to(request, port=self._service_port)

    def _note(self, request: Request) -> None:
        if request.method != "GET":
            seen = {"at": time.time(), "method": request.method, "path": request.path, "key": request.key}
            seen["request_id"] = request.headers.get("x-request-id", "")
            self._seen.write(json.dumps(seen) + "\n")


async def _say(answer: bytes, writer: asyncio.StreamWriter) -> None:
    """To a caller that may have gone."""
    try:
        writer.write(answer)
        await writer.drain()
    except ConnectionError:
        writer.close()


def _child_with_port(port: int, *, parent: int) -> int | None:
    """Return the child of `parent` whose connection has this local port; None where there is none any more."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    sockets = [f"socket:[{row[9]}]" for row in rows if row[1].endswith(f":{port:04X}") and row[3] == _ESTABLISHED]
    return next((pid for pid in children(parent) if _holds(pid, sockets)), None)


def _holds(pid: int, sockets: list[str]) -> bool:
    try:
        return any(str(path.readlink()) in sockets for path in Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return False
