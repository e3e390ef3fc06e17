"""A service that honours no keys: what may have arrived is found out by counting its records."""

from datetime import timedelta
from typing import Any

import pytest
import requests
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.gateway import FormationService
from formation_portal.gateway.client import Collection
from formation_portal.relay.calls import sending
from formation_portal.relay.calls.claiming import claim
from formation_portal.relay.calls.reconciliation import hold_reason
from formation_portal.relay.calls.sending import make_next_call
from formation_portal.relay.delivery_status import deliveries_of
from formation_portal.relay.models import Delivery, Look, Reason, ResourceKind
from formation_portal.relay.service_profile import Capabilities, update_profile
from formation_portal.relay.timing import REPEATS
from formation_portal.relay.worker import drain
from tests import factories
from tests.encrypted_rows import update_each
from tests.relay.conftest import row, save
from tests.relay.flaky_transport import Failure, FlakyTransport, answers, lost_after, lost_before, unreachable

pytestmark = [pytest.mark.django_db(databases=["default", "service"]), pytest.mark.usefixtures("complete")]

PARTIES = "POST entities/parties"


def drain_until_settled(times: int = 8) -> None:
    """Let all time pass that anybody waits for."""
    for _ in range(times):
        drain()


def parties(service: FormationService) -> list[Any]:
    return service.records(row("entity").remote_id, Collection.PARTIES)


def lookups(subject: str) -> list[tuple[int, int, str]]:
    seen = Look.objects.filter(delivery=row("party", subject)).order_by("pk")
    return [(one.records, len(one.matches), one.conclusion) for one in seen]


def with_a_namesake(draft: Draft, owner: Any) -> None:
    services.add_party(draft, "person", ["director", "shareholder"], factories.ADA, by=owner, token="namesake")


def test_a_party_that_arrived_is_bound_once_the_service_has_settled_and_not_sent_again(
    complete: Draft, strict: FlakyTransport, service: FormationService
) -> None:
    strict.fail_on(PARTIES, lost_after, times=1)
    drain()
    unknown = row("party", "ada")
    assert unknown.next_at - timezone.now() > timedelta(seconds=55)
    assert make_next_call(complete.application.pk) is None
    drain_until_settled()
    assert [party["party_id"] for party in parties(service)] == [row("party", "ada").remote_id]
    assert strict.endpoints.count(PARTIES) == 1
    assert lookups("ada") == [(1, 1, "bound")]
    assert deliveries_of(complete.application).overall.words == "Received"


def test_a_lost_party_is_looked_for_twice_and_sent_once_more(strict: FlakyTransport, service: FormationService) -> None:
    strict.fail_on(PARTIES, lost_before, times=1)
    drain()
    assert (row("party", "ada").state, strict.endpoints.count(PARTIES)) == ("unknown", 1)
    drain()
    assert (row("party", "ada").looks, strict.endpoints.count(PARTIES)) == (1, 1)
    drain_until_settled()
    assert strict.endpoints.count(PARTIES) == 2
    assert [conclusion for _, _, conclusion in lookups("ada")] == ["not there", "not there", "as it should be"]
    assert len(parties(service)) == 1


@pytest.mark.parametrize("lost", [lost_after, lost_before])
def test_namesakes_are_counted(
    complete: Draft, strict: FlakyTransport, service: FormationService, owner: Any, lost: Any
) -> None:
    with_a_namesake(complete, owner)
    while PARTIES not in strict.endpoints:
        assert make_next_call(complete.application.pk) is not None
    strict.fail_on(PARTIES, lost, times=1)
    drain_until_settled()
    assert len(parties(service)) == 2
    bound = {row("party", "ada").remote_id, row("party", "namesake").remote_id}
    assert bound == {one["party_id"] for one in parties(service)}


def test_two_that_may_be_it_are_held_for_an_agent(complete: Draft, strict: FlakyTransport) -> None:
    def duplicated(transport: FlakyTransport, request: requests.PreparedRequest, more: Any) -> requests.Response:
        transport._within.send(request)
        return lost_after(transport, request, more)

    strict.fail_on(PARTIES, duplicated, times=1)
    drain_until_settled()
    held = row("party", "ada")
    assert (held.state, held.reason, held.remote_id) == ("held", "ambiguous", "")
    assert lookups("ada") == [(2, 2, "several may be it")]
    assert deliveries_of(complete.application).of_party("ada").words == "With our team"


def test_it_is_sent_again_twice_at_most(strict: FlakyTransport, service: FormationService) -> None:
    strict.fail_on(PARTIES, lost_before)
    drain_until_settled(15)
    held = row("party", "ada")
    assert (held.state, held.reason) == ("held", "unclear")
    assert strict.endpoints.count(PARTIES) == 1 + REPEATS
    assert parties(service) == []


def test_what_turns_up_after_it_was_sent_again_is_for_agents(strict: FlakyTransport, service: FormationService) -> None:
    late: list[requests.PreparedRequest] = []

    def delayed(transport: FlakyTransport, request: requests.PreparedRequest, more: Any) -> requests.Response:
        late.append(request)
        return lost_before(transport, request, more)

    strict.fail_on(PARTIES, delayed, times=1)
    for _ in range(4):
        drain()
    assert row("party", "ada").remote_id
    strict._within.send(late[0])
    drain_until_settled()
    twice = row("party", "ada")
    assert (twice.state, twice.reason, twice.recheck) == ("done", Reason.DUPLICATE, False)
    assert len(parties(service)) == 2


@pytest.mark.parametrize(
    ("endpoint", "kind", "subject"),
    [
        ("POST entities", "entity", ""),
        ("POST entities/documents", "document", "ada/Passport"),
    ],
)
def test_what_nothing_can_tell_is_held_for_good(strict: FlakyTransport, endpoint: str, kind: str, subject: str) -> None:
    strict.fail_on(f"{endpoint}$", lost_after)
    drain_until_settled()
    held = row(kind, subject)
    assert (held.state, held.reason, strict.endpoints.count(endpoint)) == ("held", "unclear", 1)


@pytest.mark.parametrize(
    ("kind", "endpoint"),
    [
        (ResourceKind.ENTITY, "POST entities"),
        (ResourceKind.SHARE_CLASS, "POST entities/share-classes"),
        (ResourceKind.SHAREHOLDING, "POST entities/shareholdings"),
        (ResourceKind.DOCUMENT, "POST entities/documents"),
    ],
)
def test_a_list_settles_what_it_has(complete: Draft, strict: FlakyTransport, kind: ResourceKind, endpoint: str) -> None:
    update_profile(capabilities=Capabilities(lists=frozenset({ResourceKind.PARTY, kind})))
    strict.fail_on(f"{endpoint}$", lost_after)
    drain_until_settled()
    assert strict.endpoints.count(endpoint) == 1
    assert deliveries_of(complete.application).overall.words == "Received"
    ids = [one.remote_id for one in Delivery.objects.exclude(remote_id="").exclude(kind=kind)]
    assert Delivery.objects.get(kind=kind).remote_id not in ["", *ids]


def test_answers_go_out_whole_again_where_merging_is_not_known(complete: Draft, strict: FlakyTransport) -> None:
    strict.fail_on("POST entities/csp-data", lost_after)
    drain()
    save(
        complete,
        "the-company",
        factories.COMPANY | {"xy.started_on": {"day": "1", "month": "2", "year": "2026"}},
    )
    strict.failures.clear()
    drain_until_settled()
    lost, repeated, newest = [body for body in strict.bodies("POST entities/csp-data") if "scope" not in body]
    assert lost == repeated
    assert newest["csp_data"] == repeated["csp_data"] | {"xy.started_on": "2026-02-01"}


def never_rests() -> Failure:
    """Each page of the list shows somebody else."""
    numbers = iter(range(1_000))
    return lambda *call: answers(200, {"data": [{"party_id": f"pty_{next(numbers)}"}]})(*call)


@pytest.mark.parametrize(
    ("reply", "times", "state", "conclusions"),
    [
        (never_rests(), 1_000, "unknown", {"could not be read"}),
        (unreachable, 2, "done", {"could not be read", "bound"}),
        (answers(404, {"code": "not_found"}), 1_000, "held", {"no list to read"}),
    ],
)
def test_a_list_settles_nothing_before_it_can_be_read(
    strict: FlakyTransport, service: FormationService, reply: Failure, times: int, state: str, conclusions: set[str]
) -> None:
    strict.fail_on(PARTIES, lost_after, times=1)
    strict.fail_on("GET entities/parties", reply, times=times)
    drain_until_settled(4)
    party = row("party", "ada")
    assert (party.state, party.reason) == (state, "" if state == "done" else "unclear")
    assert bool(party.remote_id) is (state == "done")
    assert {conclusion for _, _, conclusion in lookups("ada")} == conclusions
    strict.clear()
    assert len(parties(service)) == 1


def test_a_worker_that_overslept_does_not_send(complete: Draft, strict: FlakyTransport, monkeypatch: Any) -> None:
    def overslept(*args: Any, **kwargs: Any) -> Any:
        taken = claim(*args, **kwargs)
        taken.row.lease_until = timezone.now() + timedelta(seconds=5)
        return taken

    monkeypatch.setattr(sending, "claim", overslept)
    make_next_call(complete.application.pk)
    assert strict.calls == []
    assert row("entity").state == "waiting"


@pytest.mark.parametrize(
    "record",
    [
        {"party_id": "pty_other", "first_name": "Grace"},
        {"party_id": "pty_other", "party_type": "corporate"},
        {"party_id": "pty_other", "roles": ["ubo"]},
    ],
)
def test_an_answer_about_somebody_else_binds_nothing(strict: FlakyTransport, record: dict[str, Any]) -> None:
    strict.fail_on(PARTIES, answers(201, {"data": record}), times=1)
    drain()
    unknown = row("party", "ada")
    assert (unknown.state, unknown.remote_id) == ("unknown", "")


def test_one_in_doubt_is_not_told_from_another_by_likeness(complete: Draft, strict: FlakyTransport, owner: Any) -> None:
    """One namesake is held already; the record that is found may be either of them."""
    with_a_namesake(complete, owner)
    strict.fail_on(PARTIES, lost_before, times=1 + REPEATS)
    drain_until_settled(12)
    assert [row("party", one).state for one in ("ada", "namesake")] == ["held", "done"]
    Delivery.objects.filter(subject="namesake", kind="party").update(
        state="unknown", reason="unclear", remote_id="", acknowledged=None, unclear_since=timezone.now()
    )
    update_each(Delivery.objects.filter(subject="namesake", kind="party"), sent=row("party", "namesake").wanted)
    drain_until_settled(3)
    assert (row("party", "namesake").state, row("party", "namesake").reason) == ("held", "ambiguous")


def test_only_what_was_never_in_doubt_was_surely_refused_for_the_status() -> None:
    assert hold_reason(Delivery(reason=Reason.STATE_CONFLICT)) == Reason.STATE_CONFLICT
    assert hold_reason(Delivery(reason=Reason.STATE_CONFLICT, unclear_since=timezone.now())) == Reason.UNCLEAR
    assert hold_reason(Delivery(reason="")) == Reason.UNCLEAR
