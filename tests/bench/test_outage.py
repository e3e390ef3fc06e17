"""What the benchmark of an outage measures with is right itself."""

import json
import socket
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
import requests

from tests.faults.environment import free_port

from .drain import most_in_a_second
from .recording_service import RecordingService
from .unreachable import never_accepted, refused


def test_a_second_begins_at_any_call() -> None:
    assert most_in_a_second([0.0, 0.5, 0.9, 1.2, 1.4, 3.0]) == 4
    assert most_in_a_second([0.0, 1.0, 2.0]) == 1
    assert most_in_a_second([]) == 0


@pytest.mark.parametrize(("failure", "error"), [(refused, ConnectionRefusedError), (never_accepted, TimeoutError)])
def test_a_closed_port_fails_in_its_own_way(
    failure: Callable[[int], AbstractContextManager[None]], error: type[OSError]
) -> None:
    port = free_port()
    with failure(port), pytest.raises(error):
        socket.create_connection(("127.0.0.1", port), timeout=0.3)


def test_every_call_is_noted_and_as_many_as_said_are_asked_to_wait(tmp_path: Path) -> None:
    service = RecordingService(tmp_path, port=free_port(), share_refused=1.0, most_refused=2)
    with service:
        answers = [requests.get(f"{service.url}/api/v1/catalog", headers={"X-Request-Id": str(n)}) for n in range(3)]
    arrivals = [json.loads(line) for line in (tmp_path / "arrivals").read_text().splitlines()]
    assert [answer.headers.get("Retry-After") for answer in answers] == ["1", "1", None]
    assert [(one["request_id"], one["is_refused"]) for one in arrivals] == [("0", True), ("1", True), ("2", False)]
