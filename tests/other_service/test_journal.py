"""The other make in a process of its own, killed while it works: it forgets nothing that it has answered."""

import contextlib
import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.service.fault_plan import KILLED, KINDS, FaultPlan

from . import KEY, OtherService
from .schemas import USABLE, id_of

PROJECT = Path(__file__).resolve().parent.parent.parent
SHARES = next(item for item in USABLE if item["jurisdiction_product_id"] == id_of("shares"))
SLOTTED = {"scope": "entity", "title": "Papers", "fields": [], "documents": {"entity": [{"name": "Plan"}]}}
WITH_A_SLOT = SHARES | {"schema": SHARES["schema"] | {"sections": [*SHARES["schema"]["sections"], SLOTTED]}}
COMPANY = {"jurisdiction_product_id": id_of("shares"), "name": "Larkfield"}
PERSON = {"party_type": "person", "first_name": "Ada", "last_name": "L", "email": "ada@example.com"}
ADA = PERSON | {"roles": ["director"]}


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return tmp_path / "journal.jsonl"


class Running:
    """One life after another of a process, at one address."""

    def __init__(self, journal: Path, *more: str) -> None:
        self._arguments = [sys.executable, "-m", "tests.other_service", "--journal", str(journal), *more]
        self._port: list[str] = []
        self.start()

    def start(self) -> None:
        command = [*self._arguments, *self._port]
        self.process = subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout
        self.url = self.process.stdout.readline().strip()
        self._port = ["--port", self.url.rpartition(":")[2]]

    def kill(self) -> None:
        self.process.kill()
        self.wait()

    def wait(self) -> int:
        assert self.process.stdout
        with self.process.stdout:
            return self.process.wait()

    def post(self, path: str, body: Any = None, *, key: str = "", **more: Any) -> requests.Response:
        headers = {"Authorization": f"Bearer {KEY}", "Idempotency-Key": key}
        return requests.post(f"{self.url}/api/v1{path}", json=body, headers=headers, timeout=30, **more)

    def parties(self, entity: str) -> Any:
        headers = {"Authorization": f"Bearer {KEY}"}
        return requests.get(f"{self.url}/api/v1/entities/{entity}/parties", headers=headers, timeout=30).json()


@contextlib.contextmanager
def running(journal: Path, *more: str) -> Iterator[Running]:
    service = Running(journal, *more)
    try:
        yield service
    finally:
        if service.process.poll() is None:
            service.kill()


def test_what_was_answered_is_there_after_a_kill_with_the_same_ids(journal: Path) -> None:
    with running(journal) as service:
        entity = service.post("/entities", COMPANY).json()["data"]["id"]
        answered = []
        for _ in range(3):
            answered.append(service.post(f"/entities/{entity}/parties", ADA).json()["data"]["party_id"])
            service.kill()
            service.start()
        assert [party["party_id"] for party in service.parties(entity)] == answered
        assert service.post(f"/entities/{entity}/parties", ADA).json()["data"]["party_id"] not in answered


def test_everything_that_is_posted_is_kept(journal: Path) -> None:
    with OtherService(journal=journal, catalog=[WITH_A_SLOT]) as first:
        fill(first)
        held = first.only_entity()
    again = OtherService(journal=journal, catalog=[WITH_A_SLOT]).only_entity()
    assert again == held
    assert again.documents[0][1] == ("passport.pdf", "application/pdf", b"%PDF \x00\xff")


def fill(service: OtherService) -> None:
    def post(path: str, body: Any = None, **more: Any) -> Any:
        headers = {"Authorization": f"Bearer {KEY}"}
        answer = requests.post(f"{service.url}/api/v1/entities{path}", json=body, headers=headers, timeout=30, **more)
        assert answer.status_code in (201, 204), answer.text
        return answer.json()["data"] if answer.content else None

    entity = f"/{post('', COMPANY)['id']}"
    post(f"{entity}/csp-data", {"csp_form_schema_id": SHARES["schema"]["id"], "csp_data": {"lark.votes": "Some"}})
    party = post(f"{entity}/parties", ADA)["party_id"]
    ordinary = {"name": "A", "currency": "EUR", "par_value": 1, "voting_rights": True, "dividend_rights": True}
    share_class = post(f"{entity}/share-classes", ordinary)["id"]
    post(f"{entity}/shareholdings", {"party_id": party, "share_class_id": share_class, "shares_held": 5})
    file = {"file": ("passport.pdf", b"%PDF \x00\xff", "application/pdf")}
    post(f"{entity}/documents", files=file, data={"document_key": "Plan"})


def test_what_comes_twice_is_there_twice_after_a_kill_too(journal: Path) -> None:
    with running(journal) as service:
        entity = service.post("/entities", COMPANY, key="same").json()["data"]["id"]
        for _ in range(2):
            service.post(f"/entities/{entity}/parties", ADA, key="same")
        service.kill()
        service.start()
        assert len(service.parties(entity)) == 2


def test_what_was_refused_is_not_kept(journal: Path) -> None:
    with running(journal) as service:
        assert service.post("/entities", COMPANY | {"colour": "red"}).status_code == 422
        service.kill()
    assert OtherService(journal=journal).entities == {}


def test_a_line_that_a_kill_cut_off_was_never_answered_for(journal: Path) -> None:
    with OtherService(journal=journal, catalog=[WITH_A_SLOT]) as first:
        fill(first)
    whole = journal.read_bytes()
    journal.write_bytes(whole + b'{"method": "POST", "pa')
    assert OtherService(journal=journal, catalog=[WITH_A_SLOT]).entities == first.entities
    assert journal.read_bytes() == whole


def test_half_a_request_is_not_taken(journal: Path) -> None:
    with OtherService(journal=journal) as service:
        host, port = "127.0.0.1", int(service.url.rpartition(":")[2])
        body = json.dumps(COMPANY).encode()
        head = (
            f"POST /api/v1/entities HTTP/1.1\r\nAuthorization: Bearer {KEY}\r\nContent-Length: {len(body) + 9}\r\n\r\n"
        )
        with socket.create_connection((host, port)) as line:
            line.sendall(head.encode() + body)
            line.shutdown(socket.SHUT_WR)
            assert line.recv(100) == b""
        assert service.entities == {}


def test_it_takes_a_catalog_of_somebody_elses(journal: Path, tmp_path: Path) -> None:
    (tmp_path / "catalog.json").write_text(json.dumps([SHARES | {"jurisdiction_product_id": "another"}]))
    with running(journal, "--catalog", str(tmp_path / "catalog.json")) as service:
        assert service.post("/entities", COMPANY).status_code == 400
        assert service.post("/entities", COMPANY | {"jurisdiction_product_id": "another"}).status_code == 201


class TestPlan:
    """The kinds of fault at this make's door."""

    @pytest.mark.parametrize(
        ("kind", "status", "is_done"),
        [
            ("error_before", 500, False),
            ("error_after", 500, True),
            ("too_many", 429, False),
            ("broken_json", 201, True),
        ],
    )
    def test_a_fault_is_met_once(self, tmp_path: Path, kind: str, status: int, *, is_done: bool) -> None:
        plan = FaultPlan(seed=0, ledger=tmp_path / "ledger", each=1, kinds=(kind,))
        with OtherService(plan=plan) as service:
            url, headers = f"{service.url}/api/v1/entities", {"Authorization": f"Bearer {KEY}"}
            answers = [requests.post(url, json=COMPANY, headers=headers, timeout=30) for _ in range(4)]
            assert [answer.status_code for answer in answers] == [status, 201, 201, 201]
            assert len(service.entities) == 3 + is_done
            if kind == "too_many":
                assert answers[0].headers["Retry-After"] == "1"
            if kind == "broken_json":
                with pytest.raises(requests.JSONDecodeError):
                    answers[0].json()

    def test_a_process_that_kills_itself_goes_on_with_the_plan(self, journal: Path, tmp_path: Path) -> None:
        ledger = tmp_path / "ledger"
        with running(journal, "--ledger", str(ledger), "--seed", "3", "--each", "2") as service:
            answered: set[str] = set()
            for number in range(40):
                try:
                    answer = service.post("/entities", COMPANY, key=f"key-{number}")
                    answered |= {answer.json()["data"]["id"]} if answer.status_code == 201 else set()
                except requests.JSONDecodeError:
                    pass
                except requests.ConnectionError:
                    assert service.wait() == -signal.SIGKILL
                    service.start()
        given = [json.loads(line) for line in ledger.read_text().splitlines()]
        kinds = [fault["kind"] for fault in given]
        assert sorted(kinds) == sorted(KINDS * 2)
        # Half of the kills strike after the journal is written; so do errors after and broken answers.
        done = 40 - 2 - 2 - kinds.count(KILLED) // 2
        entities = set(OtherService(journal=journal).entities)
        assert len(entities) == done
        assert answered < entities
