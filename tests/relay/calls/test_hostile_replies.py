"""A reply that makes no sense, or says what nobody asked: nothing is bound, and nothing personal is in the log."""

import contextlib
import json
import logging
import re
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from formation_portal.applications.draft import Draft
from formation_portal.gateway.catalog import forget
from formation_portal.relay import service_profile
from formation_portal.relay.models import Attempt, Delivery, Look
from formation_portal.relay.service_profile import EMBEDDED_CAPABILITIES, Capabilities
from formation_portal.relay.worker import drain
from tests import factories
from tests.gateway.raw_server import RawServer

from .hostile_service import Hostile, Reply, bomb, huge, lost, saying

pytestmark = pytest.mark.django_db(databases=["default", "service"])

MEGABYTE = 1_000_000
# What a call may take: one answer of at most 1 MiB, read in pieces, and the portal's own work around it.
MOST_MEMORY = 12 * MEGABYTE
# What the kernel's buffers of a connection take in before the client has left.
MOST_SENT = 20 * MEGABYTE

PERSONAL = ("Ada", "Lovelace", "ada@example.com", "1985-12-10", "Larkfield", "Mallory", "Elsewhere")

CREATES = {
    "entity": "POST .*/entities$",
    "entity_csp": "POST .*/csp-data$",
    "share_class": "POST .*/share-classes$",
    "party": "POST .*/parties$",
    "document": "POST .*/documents$",
    "shareholding": "POST .*/shareholdings$",
}
ANOTHERS = {
    "entity": {"id": "E-9", "name": "Elsewhere", "client_reference": "FP-NOT-OURS"},
    "share_class": {"id": "sc_9", "name": "Elsewhere", "currency": "CHF"},
    "party": {"party_id": "pty_9", "party_type": "person", "first_name": "Mallory", "last_name": "Elsewhere"},
    "document": {"id": "doc_9", "document_key": "Elsewhere", "party_id": "pty_9"},
    "shareholding": {"id": "sh_9", "party_id": "pty_9", "share_class_id": "sc_9", "shares_held": 7},
}


@pytest.fixture
def hostile(settings: Any, tmp_path: Path) -> Iterator[Hostile]:
    """The service that the settings name; until something is said, it answers as the other make does."""
    service = Hostile()
    settings.FORMATION_SERVICE_URL = service.url
    settings.FORMATION_SERVICE_KEY = service.key
    settings.DATA_DIR = tmp_path
    forget()
    yield service
    forget()
    service.close()


@pytest.fixture
def submitted(hostile: Hostile, owner: Any) -> Draft:
    """A complete application, ready to go out."""
    return submit(owner)


def submit(owner: Any) -> Draft:
    return factories.submitted_draft(owner)


def row_of(draft: Draft, kind: str) -> Delivery:
    return Delivery.objects.get(application=draft.application, kind=kind)


def nothing_came_of_it(draft: Draft, kind: str, caplog: pytest.LogCaptureFixture) -> None:
    """Not bound, not done; the log has the request and nobody's data."""
    assert row_of(draft, kind).state in ("unknown", "held")
    nothing_is_bound(draft, kind, caplog)


def nothing_is_bound(draft: Draft, kind: str, caplog: pytest.LogCaptureFixture) -> None:
    row = row_of(draft, kind)
    assert (row.remote_id, row.acknowledged) == ("", None)
    request_ids = list(Attempt.objects.filter(delivery=row).values_list("request_id", flat=True))
    assert request_ids
    assert all(one and one in caplog.text for one in request_ids)
    assert not [word for word in PERSONAL if word in caplog.text]


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """Everything that is logged, as little serious as it may be."""
    caplog.set_level(logging.DEBUG)
    return caplog


HTML = "<!doctype html><title>Welcome</title><p>Mallory Elsewhere"
WELCOME = saying(HTML, status="200 OK", headers="Content-Type: text/html\r\n")
REDIRECT = saying("", status="302 Found", headers="Location: http://127.0.0.1:9/elsewhere\r\n")
TOO_LONG = "x" * 10_000


def drained(hostile: Hostile, kind: str, reply: Reply) -> None:
    """The call that makes a thing is answered badly, once and again, through every wait that there is."""
    hostile.answers(CREATES[kind], reply)
    drain()
    drain()


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("entity_csp", HTML),
        ("entity", {"data": {"name": "Elsewhere"}}),
        ("share_class", []),
        ("party", {"data": {"id": "", "party_id": ""}}),
        ("entity", {"data": {"id": 7}}),
        ("party", {"data": {"party_id": {"id": "7"}}}),
        ("shareholding", {"data": {"id": True}}),
        ("document", {"data": {"id": TOO_LONG}}),
        *((kind, {"data": ANOTHERS[kind]}) for kind in ("entity", "party", "shareholding")),
    ],
    ids=range(11),
)
def test_a_reply_that_names_nothing_of_ours_binds_nothing(
    submitted: Draft, hostile: Hostile, log: Any, kind: str, body: Any
) -> None:
    drained(hostile, kind, WELCOME if body == HTML else saying(json.dumps(body)))
    nothing_came_of_it(submitted, kind, log)


@pytest.mark.parametrize("is_conflict", [False, True])
@pytest.mark.parametrize("kind", ["entity", "document"])
def test_an_id_that_another_application_has_binds_nothing(
    hostile: Hostile, owner: Any, log: Any, kind: str, is_conflict: bool
) -> None:
    first = submit(owner)
    hostile.answers(CREATES[kind], saying({"data": {"id": "taken"}}))
    drain()
    assert row_of(first, kind).remote_id == "taken"
    second = submit(owner)
    conflict = saying({"code": "conflict", "existing_id": "taken"}, status="409 Conflict")
    drained(hostile, kind, conflict if is_conflict else saying({"data": {"id": "taken"}}))
    assert row_of(first, kind).remote_id == "taken"
    nothing_is_bound(second, kind, log)


@pytest.mark.parametrize(
    ("kind", "named"),
    [("party", 7), ("share_class", None), ("entity", TOO_LONG), ("party", "sc_1"), ("entity", "pty_1")],
    ids=["number", "none", "long", "class", "party"],
)
def test_a_conflict_that_names_no_record_of_the_kind_binds_nothing(
    submitted: Draft, hostile: Hostile, log: Any, kind: str, named: Any
) -> None:
    drained(hostile, kind, saying({"code": "conflict", "existing_id": named}, status="409 Conflict"))
    nothing_is_bound(submitted, kind, log)


@pytest.mark.parametrize("status", ["400 Bad", "422 Odd", "503 Away"])
def test_an_error_that_names_people_names_nobody_in_the_log(
    submitted: Draft, hostile: Hostile, log: Any, status: str
) -> None:
    body = {"error": {"code": "Lovelace", "message": "Mallory Elsewhere", "details": {"Ada": ["ada@example.com"]}}}
    drained(hostile, "party", saying(body, status=status))
    nothing_is_bound(submitted, "party", log)


def test_a_redirect_is_not_followed_and_binds_nothing(submitted: Draft, hostile: Hostile, log: Any) -> None:
    elsewhere = RawServer(lambda line: line.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
    target = f"Location: {elsewhere.url}/api/v1/entities?name=Mallory\r\n"
    drained(hostile, "party", saying("", status="308 Permanent", headers=target))
    assert elsewhere.connections == 0
    elsewhere.close()
    nothing_came_of_it(submitted, "party", log)


@pytest.mark.parametrize("kind", ["entity", "document"])
@pytest.mark.parametrize("large", [huge, bomb])
def test_fifty_megabytes_are_neither_read_nor_unpacked_and_bind_nothing(
    submitted: Draft, hostile: Hostile, log: Any, kind: str, large: Any
) -> None:
    with little_memory():
        drained(hostile, kind, large({"data": {"id": "E-9"}}))
    calls = Attempt.objects.filter(delivery=row_of(submitted, kind)).count()
    assert hostile.sent < MOST_SENT * calls
    nothing_came_of_it(submitted, kind, log)


@contextlib.contextmanager
def little_memory() -> Iterator[None]:
    """Whatever is done inside takes no more than an answer that is worth reading."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < MOST_MEMORY
    finally:
        tracemalloc.stop()


LISTS = {
    "entity": r"GET .*/entities$",
    "share_class": "GET .*/share-classes$",
    "party": "GET .*/parties$",
    "document": "GET .*/documents$",
    "shareholding": "GET .*/shareholdings$",
}
UNREADABLE = {
    "html": WELCOME,
    "no records": saying({"data": [7, None]}, status="200 OK"),
    "redirect": REDIRECT,
    "bomb": bomb({"data": []}),
}


class TestLooks:
    """The answer to a create was lost, and the list that should settle it makes no sense."""

    @pytest.fixture(autouse=True)
    def _lists_can_be_read(self, hostile: Hostile) -> None:
        service_profile.update_profile(capabilities=Capabilities(lists=EMBEDDED_CAPABILITIES.lists), can_edit=False)

    @pytest.mark.parametrize("reply", UNREADABLE)
    def test_a_list_that_cannot_be_read_settles_nothing(
        self, submitted: Draft, hostile: Hostile, log: Any, reply: str
    ) -> None:
        with little_memory():
            self.looked(hostile, "party", UNREADABLE[reply])
        nothing_came_of_it(submitted, "party", log)
        conclusions = Look.objects.filter(delivery=row_of(submitted, "party")).values_list("conclusion", "matches")
        assert set(map(str, conclusions)) == {str(("could not be read", []))}
        assert posts(hostile, "party") == 1

    @pytest.mark.parametrize("number", [7, None, TOO_LONG])
    def test_a_match_without_a_usable_id_is_not_bound(
        self, submitted: Draft, hostile: Hostile, log: Any, number: Any
    ) -> None:
        self.looked(hostile, "entity", saying({"data": [{"id": number}]}, status="200 OK"))
        nothing_is_bound(submitted, "entity", log)

    @pytest.mark.parametrize("kind", ["entity", "document", "shareholding"])
    def test_anothers_record_is_not_bound(self, submitted: Draft, hostile: Hostile, log: Any, kind: str) -> None:
        self.looked(hostile, kind, saying({"data": [ANOTHERS[kind]]}, status="200 OK"))
        nothing_came_of_it(submitted, kind, log)

    @pytest.mark.parametrize("kind", ["entity", "shareholding"])
    def test_a_record_that_belongs_to_another_thing_is_not_bound(
        self, hostile: Hostile, owner: Any, log: Any, kind: str
    ) -> None:
        hostile.answers(CREATES[kind], saying({"data": {"id": "taken"}}))
        first = submit(owner)
        drain()
        assert row_of(first, kind).remote_id == "taken"
        second = submit(owner)
        self.looked(hostile, kind, saying({"data": [{"id": "taken"}]}, status="200 OK"))
        assert row_of(first, kind).remote_id == "taken"
        nothing_came_of_it(second, kind, log)

    @staticmethod
    def looked(hostile: Hostile, kind: str, reply: Reply) -> None:
        """The create's answer is lost, then the list is looked at."""
        hostile.answers(LISTS[kind], reply)
        drained(hostile, kind, lost)


def posts(hostile: Hostile, kind: str) -> int:
    """How often the create was sent."""
    calls = [request.split(b" HTTP/", 1)[0].decode() for request in hostile.server.requests]
    return sum(bool(re.search(CREATES[kind], call)) for call in calls)
