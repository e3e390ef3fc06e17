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
from tests.each_once import each_once
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
# Where the interface shows an id in the answer, so that one without can't be used.
WITH_ID = ("entity", "share_class", "party")
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
    row = row_of(draft, kind)
    assert row.state in ("unknown", "held"), row
    assert row.remote_id == ""
    assert row.acknowledged is None
    assert_logged_without_personal_data(caplog, row)


def assert_logged_without_personal_data(caplog: pytest.LogCaptureFixture, row: Delivery) -> None:
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
WITHOUT_ID: list[Any] = [
    {"data": {}},
    {"data": {"name": "Elsewhere"}},
    {"data": None},
    {},
    [],
    "x",
    {"data": {"id": "", "party_id": ""}},
]


class TestCreates:
    """The call that makes a thing is answered badly, once and again, through every wait that there is."""

    @pytest.mark.parametrize("kind", CREATES)
    def test_html_binds_nothing(self, submitted: Draft, hostile: Hostile, log: Any, kind: str) -> None:
        self.drained(hostile, kind, WELCOME)
        nothing_came_of_it(submitted, kind, log)

    @pytest.mark.parametrize(("kind", "record"), each_once(WITH_ID, WITHOUT_ID))
    def test_no_id_binds_nothing(self, submitted: Draft, hostile: Hostile, log: Any, kind: str, record: Any) -> None:
        self.drained(hostile, kind, saying(json.dumps(record)))
        nothing_came_of_it(submitted, kind, log)

    @pytest.mark.parametrize(
        ("kind", "number"), each_once([*WITH_ID, "document", "shareholding"], [7, True, {"id": "7"}])
    )
    def test_an_id_that_is_no_text_binds_nothing(
        self, submitted: Draft, hostile: Hostile, log: Any, kind: str, number: Any
    ) -> None:
        self.drained(hostile, kind, saying({"data": {"id": number, "party_id": number}}))
        nothing_came_of_it(submitted, kind, log)

    @pytest.mark.parametrize("kind", [*WITH_ID, "document", "shareholding"])
    def test_an_id_beyond_all_length_binds_nothing(
        self, submitted: Draft, hostile: Hostile, log: Any, kind: str
    ) -> None:
        self.drained(hostile, kind, saying({"data": {"id": "x" * 10_000, "party_id": "x" * 10_000}}))
        nothing_came_of_it(submitted, kind, log)

    @pytest.mark.parametrize("kind", [*WITH_ID, "document", "shareholding"])
    def test_somebody_elses_id_binds_nothing(self, hostile: Hostile, owner: Any, log: Any, kind: str) -> None:
        first = submit(owner)
        bound = {"id": "taken", "party_id": "taken"}
        hostile.answers(CREATES[kind], saying({"data": own(kind, bound)}))
        drain()
        assert row_of(first, kind).remote_id == "taken"
        second = submit(owner)
        drain()
        drain()
        assert row_of(first, kind).remote_id == "taken"
        nothing_came_of_it(second, kind, log)

    @pytest.mark.parametrize("kind", ANOTHERS)
    def test_anothers_record_binds_nothing(self, submitted: Draft, hostile: Hostile, log: Any, kind: str) -> None:
        self.drained(hostile, kind, saying({"data": ANOTHERS[kind]}))
        nothing_came_of_it(submitted, kind, log)

    @pytest.mark.parametrize("kind", [*WITH_ID, "document", "shareholding"])
    def test_a_conflict_with_somebody_elses_record_binds_nothing(
        self, hostile: Hostile, owner: Any, log: Any, kind: str
    ) -> None:
        first = submit(owner)
        hostile.answers(CREATES[kind], saying({"data": own(kind, {"id": "taken", "party_id": "taken"})}))
        drain()
        second = submit(owner)
        self.drained(hostile, kind, saying({"code": "conflict", "existing_id": "taken"}, status="409 Conflict"))
        assert row_of(first, kind).remote_id == "taken"
        row = row_of(second, kind)
        assert (row.remote_id, row.acknowledged) == ("", None)
        assert_logged_without_personal_data(log, row)

    @pytest.mark.parametrize(("kind", "named"), each_once(WITH_ID, [7, None, {"id": "7"}, "x" * 10_000]))
    def test_a_conflict_with_nothing_binds_nothing(
        self, submitted: Draft, hostile: Hostile, log: Any, kind: str, named: Any
    ) -> None:
        self.drained(hostile, kind, saying({"code": "conflict", "existing_id": named}, status="409 Conflict"))
        row = row_of(submitted, kind)
        assert (row.remote_id, row.acknowledged) == ("", None)
        assert_logged_without_personal_data(log, row)

    @pytest.mark.parametrize(("kind", "named"), [("party", "sc_1"), ("share_class", "pty_1"), ("entity", "pty_1")])
    def test_a_conflict_with_a_thing_of_another_kind_binds_nothing(
        self, submitted: Draft, hostile: Hostile, log: Any, kind: str, named: str
    ) -> None:
        self.drained(hostile, kind, saying({"code": "conflict", "existing_id": named}, status="409 Conflict"))
        row = row_of(submitted, kind)
        assert (row.remote_id, row.acknowledged) == ("", None)
        assert_logged_without_personal_data(log, row)

    @pytest.mark.parametrize("status", ["400 Bad", "404 Gone", "409 Conflict", "422 Odd", "500 Broken", "503 Away"])
    def test_an_error_that_names_people_names_nobody_in_the_log(
        self, submitted: Draft, hostile: Hostile, log: Any, status: str
    ) -> None:
        body = {"error": {"code": "Lovelace", "message": "Mallory Elsewhere", "details": {"Ada": ["ada@example.com"]}}}
        self.drained(hostile, "party", saying(body, status=status))
        row = row_of(submitted, "party")
        assert (row.remote_id, row.acknowledged) == ("", None)
        assert_logged_without_personal_data(log, row)

    @pytest.mark.parametrize("kind", CREATES)
    def test_a_redirect_is_not_followed_and_binds_nothing(
        self, submitted: Draft, hostile: Hostile, log: Any, kind: str
    ) -> None:
        elsewhere = RawServer(lambda line: line.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
        target = f"Location: {elsewhere.url}/api/v1/entities?name=Mallory\r\n"
        self.drained(hostile, kind, saying("", status="308 Permanent", headers=target))
        assert elsewhere.connections == 0
        elsewhere.close()
        nothing_came_of_it(submitted, kind, log)

    @pytest.mark.parametrize("kind", CREATES)
    def test_fifty_megabytes_are_not_read_and_bind_nothing(
        self, submitted: Draft, hostile: Hostile, log: Any, kind: str
    ) -> None:
        with little_memory():
            self.drained(hostile, kind, huge({"data": {"id": "E-9", "party_id": "pty_9"}}))
        calls = Attempt.objects.filter(delivery=row_of(submitted, kind)).count()
        assert hostile.sent < MOST_SENT * calls
        nothing_came_of_it(submitted, kind, log)

    @pytest.mark.parametrize("kind", CREATES)
    def test_a_gzip_bomb_is_not_unpacked_and_binds_nothing(
        self, submitted: Draft, hostile: Hostile, log: Any, kind: str
    ) -> None:
        reply = bomb({"data": {"id": "E-9", "party_id": "pty_9"}})
        with little_memory():
            self.drained(hostile, kind, reply)
        nothing_came_of_it(submitted, kind, log)

    @staticmethod
    def drained(hostile: Hostile, kind: str, reply: Reply) -> None:
        hostile.answers(CREATES[kind], reply)
        drain()
        drain()


@contextlib.contextmanager
def little_memory() -> Iterator[None]:
    """Whatever is done inside takes no more than an answer that is worth reading."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < MOST_MEMORY
    finally:
        tracemalloc.stop()


def own(kind: str, named: dict[str, str]) -> dict[str, str]:
    """The id where records of the kind have theirs."""
    name = "party_id" if kind == "party" else "id"
    return {name: named[name]}


LOOKED_UP = ("entity", "share_class", "party", "document", "shareholding")
LISTS = {
    "entity": r"GET .*/entities$",
    "share_class": "GET .*/share-classes$",
    "party": "GET .*/parties$",
    "document": "GET .*/documents$",
    "shareholding": "GET .*/shareholdings$",
}
UNREADABLE = {
    "html": WELCOME,
    "no list": saying({"data": {}}, status="200 OK"),
    "no records": saying({"data": [7, None]}, status="200 OK"),
    "nothing": saying("null", status="200 OK"),
    "redirect": REDIRECT,
    "huge": huge({"data": []}),
    "bomb": bomb({"data": []}),
}


class TestLooks:
    """The answer to a create was lost, and the list that should settle it makes no sense."""

    @pytest.fixture(autouse=True)
    def _lists_can_be_read(self, hostile: Hostile) -> None:
        service_profile.update_profile(capabilities=Capabilities(lists=EMBEDDED_CAPABILITIES.lists), can_edit=False)

    @pytest.mark.parametrize(("kind", "reply"), each_once(["entity", "party"], UNREADABLE))
    def test_a_list_that_cannot_be_read_settles_nothing(
        self, submitted: Draft, hostile: Hostile, log: Any, kind: str, reply: str
    ) -> None:
        with little_memory():
            self.looked(hostile, kind, UNREADABLE[reply])
        nothing_came_of_it(submitted, kind, log)
        conclusions = Look.objects.filter(delivery=row_of(submitted, kind)).values_list("conclusion", "matches")
        assert set(map(str, conclusions)) == {str(("could not be read", []))}
        assert posts(hostile, kind) == 1

    @pytest.mark.parametrize(("kind", "number"), each_once(["entity", "party"], [7, None, "x" * 10_000]))
    def test_a_match_without_a_usable_id_is_not_bound(
        self, submitted: Draft, hostile: Hostile, log: Any, kind: str, number: Any
    ) -> None:
        record = {"id": number} | ({"party_id": number} if kind == "party" else {})
        self.looked(hostile, kind, saying({"data": [record]}, status="200 OK"))
        row = row_of(submitted, kind)
        assert (row.remote_id, row.acknowledged) == ("", None)
        assert_logged_without_personal_data(log, row)

    @pytest.mark.parametrize("kind", LOOKED_UP)
    def test_anothers_record_is_not_bound(self, submitted: Draft, hostile: Hostile, log: Any, kind: str) -> None:
        self.looked(hostile, kind, saying({"data": [ANOTHERS[kind]]}, status="200 OK"))
        nothing_came_of_it(submitted, kind, log)

    @pytest.mark.parametrize("kind", LOOKED_UP)
    def test_a_record_that_belongs_to_another_thing_is_not_bound(
        self, hostile: Hostile, owner: Any, log: Any, kind: str
    ) -> None:
        taken = own(kind, {"id": "taken", "party_id": "taken"})
        hostile.answers(CREATES[kind], saying({"data": taken}))
        first = submit(owner)
        drain()
        assert row_of(first, kind).remote_id == "taken"
        second = submit(owner)
        self.looked(hostile, kind, saying({"data": [taken]}, status="200 OK"))
        assert row_of(first, kind).remote_id == "taken"
        nothing_came_of_it(second, kind, log)

    @staticmethod
    def looked(hostile: Hostile, kind: str, reply: Reply) -> None:
        """The create's answer is lost, then the list is looked at."""
        hostile.answers(LISTS[kind], reply)
        TestCreates.drained(hostile, kind, lost)


def posts(hostile: Hostile, kind: str) -> int:
    """How often the create was sent."""
    calls = [request.split(b" HTTP/", 1)[0].decode() for request in hostile.server.requests]
    return sum(bool(re.search(CREATES[kind], call)) for call in calls)
