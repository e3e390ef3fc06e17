"""A reply that makes no sense, or says what nobody asked: nothing is bound, and nothing personal is in the log."""

import logging
import tracemalloc
import zlib
from typing import Any

import pytest

from formation_portal.applications.draft import Draft
from formation_portal.gateway.calls import Limits
from formation_portal.gateway.errors import Unclear
from formation_portal.relay.models import Attempt, Delivery, Look
from formation_portal.relay.service_profile import EMBEDDED_CAPABILITIES, Capabilities, update_profile
from formation_portal.relay.worker import drain
from tests import factories
from tests.gateway.conftest import answering, client_at, raw_server
from tests.relay.flaky_transport import Failure, FlakyTransport, answers, lost_before

__all__ = ["raw_server"]

pytestmark = pytest.mark.django_db(databases=["default", "service"])

MEGABYTE = 1_000_000
# One answer of at most 1 MiB, read in pieces, and the portal's own work around it.
MOST_MEMORY = 12 * MEGABYTE

PERSONAL = ("Ada", "Lovelace", "ada@example.com", "1985-12-10", "Larkfield", "Mallory", "Elsewhere")

CREATES = {
    "entity": "POST entities$",
    "entity_csp": "POST entities/csp-data$",
    "share_class": "POST entities/share-classes$",
    "party": "POST entities/parties$",
    "document": "POST entities/documents$",
    "shareholding": "POST entities/shareholdings$",
}
ANOTHERS = {
    "entity": {"id": "E-9", "name": "Elsewhere", "client_reference": "FP-NOT-OURS"},
    "party": {"party_id": "pty_9", "party_type": "person", "first_name": "Mallory", "last_name": "Elsewhere"},
    "document": {"id": "doc_9", "document_key": "Elsewhere", "party_id": "pty_9"},
    "shareholding": {"id": "sh_9", "party_id": "pty_9", "share_class_id": "sc_9", "shares_held": 7},
}
HTML = "<!doctype html><title>Welcome</title><p>Mallory Elsewhere"
TOO_LONG = "x" * 10_000


@pytest.fixture
def submitted(strict: FlakyTransport, owner: Any) -> Draft:
    """A complete application, ready to go out."""
    return factories.submitted_draft(owner)


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """Everything that is logged, as little serious as it may be."""
    caplog.set_level(logging.DEBUG)
    return caplog


def row_of(draft: Draft, kind: str) -> Delivery:
    return Delivery.objects.get(application=draft.application, kind=kind)


def drain_with(transport: FlakyTransport, kind: str, reply: Failure) -> None:
    """The call that makes a thing is answered badly, once and again, through every wait that there is."""
    transport.fail_on(CREATES[kind], reply)
    drain()
    drain()


def assert_in_doubt(draft: Draft, kind: str, log: pytest.LogCaptureFixture) -> None:
    assert row_of(draft, kind).state in ("unknown", "held")
    assert_not_bound(draft, kind, log)


def assert_not_bound(draft: Draft, kind: str, log: pytest.LogCaptureFixture) -> None:
    """It is not done either; the log has the request and nobody's data."""
    row = row_of(draft, kind)
    assert (row.remote_id, row.acknowledged) == ("", None)
    request_ids = list(Attempt.objects.filter(delivery=row).values_list("request_id", flat=True))
    assert request_ids
    assert all(request_id and request_id in log.text for request_id in request_ids)
    assert not [word for word in PERSONAL if word in log.text]


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
    submitted: Draft, strict: FlakyTransport, log: Any, kind: str, body: Any
) -> None:
    reply = answers(200, HTML, Content_Type="text/html") if body == HTML else answers(201, body)
    drain_with(strict, kind, reply)
    assert_in_doubt(submitted, kind, log)


@pytest.mark.parametrize("is_conflict", [False, True])
@pytest.mark.parametrize("kind", ["entity", "document"])
def test_an_id_that_another_application_has_binds_nothing(
    strict: FlakyTransport, owner: Any, log: Any, kind: str, is_conflict: bool
) -> None:
    first = factories.submitted_draft(owner)
    drain_with(strict, kind, answers(201, {"data": {"id": "taken"}}))
    second = factories.submitted_draft(owner)
    if is_conflict:
        strict.failures.clear()
        strict.fail_on(CREATES[kind], answers(409, {"code": "conflict", "existing_id": "taken"}))
    drain()
    drain()
    assert row_of(first, kind).remote_id == "taken"
    assert_not_bound(second, kind, log)


@pytest.mark.parametrize(
    ("kind", "named"),
    [("party", 7), ("share_class", None), ("entity", TOO_LONG), ("party", "sc_1"), ("entity", "pty_1")],
    ids=["number", "none", "long", "class", "party"],
)
def test_a_conflict_that_names_no_record_of_the_kind_binds_nothing(
    submitted: Draft, strict: FlakyTransport, log: Any, kind: str, named: Any
) -> None:
    drain_with(strict, kind, answers(409, {"code": "conflict", "existing_id": named}))
    assert_not_bound(submitted, kind, log)


@pytest.mark.parametrize("status", [308, 400, 422, 503])
def test_an_error_names_nobody_in_the_log(submitted: Draft, strict: FlakyTransport, log: Any, status: int) -> None:
    body = {"error": {"code": "Lovelace", "message": "Mallory Elsewhere", "details": {"Ada": ["ada@example.com"]}}}
    drain_with(strict, "party", answers(status, body, Location="http://127.0.0.1:9/entities?name=Mallory"))
    assert_not_bound(submitted, "party", log)


def test_fifty_megabytes_are_not_unpacked(raw_server: Any) -> None:
    body = b" " * 50 * MEGABYTE + b'{"data": {"id": "E-9"}}'
    packed = zlib.compress(body, wbits=zlib.MAX_WBITS | 16)
    server = answering(raw_server, packed, headers="Content-Encoding: gzip\r\n")
    tracemalloc.start()
    try:
        with pytest.raises(Unclear):
            client_at(server.url, limits=Limits()).create_entity({}, key="k")
        assert tracemalloc.get_traced_memory()[1] < MOST_MEMORY
    finally:
        tracemalloc.stop()


class TestLooks:
    """The answer to a create was lost, and the list that should settle it makes no sense."""

    LISTS = {
        "entity": r"GET entities(\?|$)",
        "party": "GET entities/parties",
        "document": "GET entities/documents",
        "shareholding": "GET entities/shareholdings",
    }

    @pytest.fixture(autouse=True)
    def _lists_can_be_read(self, strict: FlakyTransport) -> None:
        update_profile(capabilities=Capabilities(lists=EMBEDDED_CAPABILITIES.lists), can_edit=False)

    def drain_with(self, transport: FlakyTransport, kind: str, reply: Failure) -> None:
        """The create's answer is lost, then the list is looked at."""
        transport.fail_on(self.LISTS[kind], reply)
        drain_with(transport, kind, lost_before)

    @pytest.mark.parametrize("reply", [answers(200, HTML), answers(200, {"data": [7, None]}), answers(302)])
    def test_a_list_that_cannot_be_read_settles_nothing(
        self, submitted: Draft, strict: FlakyTransport, log: Any, reply: Failure
    ) -> None:
        self.drain_with(strict, "party", reply)
        assert_in_doubt(submitted, "party", log)
        conclusions = Look.objects.filter(delivery=row_of(submitted, "party")).values_list("conclusion", "matches")
        assert set(map(str, conclusions)) == {str(("could not be read", []))}
        assert strict.endpoints.count("POST entities/parties") == 1

    @pytest.mark.parametrize("number", [7, None, TOO_LONG])
    def test_a_match_without_a_usable_id_is_not_bound(
        self, submitted: Draft, strict: FlakyTransport, log: Any, number: Any
    ) -> None:
        self.drain_with(strict, "entity", answers(200, {"data": [{"id": number}]}))
        assert_not_bound(submitted, "entity", log)

    @pytest.mark.parametrize("kind", ["entity", "document", "shareholding"])
    def test_anothers_record_is_not_bound(self, submitted: Draft, strict: FlakyTransport, log: Any, kind: str) -> None:
        self.drain_with(strict, kind, answers(200, {"data": [ANOTHERS[kind]]}))
        assert_in_doubt(submitted, kind, log)

    @pytest.mark.parametrize("kind", ["entity", "shareholding"])
    def test_a_record_that_belongs_to_another_thing_is_not_bound(
        self, strict: FlakyTransport, owner: Any, log: Any, kind: str
    ) -> None:
        first = factories.submitted_draft(owner)
        strict.fail_on(CREATES[kind], answers(201, {"data": {"id": "taken"}}))
        drain()
        strict.clear()
        second = factories.submitted_draft(owner)
        self.drain_with(strict, kind, answers(200, {"data": [{"id": "taken"}]}))
        assert row_of(first, kind).remote_id == "taken"
        assert_in_doubt(second, kind, log)
