"""What nothing else can resolve, an agent decides: bound, the rest goes on; declared absent, it is sent once more."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.audit.models import Actor, AuditAction, Entry
from formation_portal.gateway import FormationService
from formation_portal.gateway.client import Collection
from formation_portal.relay.models import Decision, Delivery
from formation_portal.relay.resolution import (
    DecisionOutdated,
    DecisionRefused,
    bind,
    declare_absent,
    is_undecided,
    may_inform_provider,
    may_send_again,
    must_inform_provider,
)
from formation_portal.relay.service_profile import Capabilities, update_profile
from formation_portal.relay.worker import Worker, drain
from tests import factories
from tests.relay.conftest import row, save
from tests.relay.flaky_transport import FlakyTransport, lost_after, lost_before

pytestmark = pytest.mark.django_db(databases=["default", "service"])


@pytest.fixture
def strict(transport: FlakyTransport) -> None:
    """Nothing is known of the service but what the interface shows."""
    update_profile(capabilities=Capabilities())


def drain_until_undecided(kind: str, subject: str = "") -> Delivery:
    """The row, once the relay has found that nothing here can tell."""
    for _ in range(3):
        drain()
    found = row(kind, subject)
    assert found.needs_a_decision, found
    return found


@pytest.fixture
def lost_entity(complete: Draft, transport: FlakyTransport, strict: None) -> Delivery:
    """The entity was made, and the answer is lost."""
    transport.fail_on("POST entities", lost_after, times=1)
    return drain_until_undecided("entity")


@pytest.fixture
def missing_entity(complete: Draft, transport: FlakyTransport, strict: None) -> Delivery:
    """The request was lost on its way, which looks the same."""
    transport.fail_on("POST entities", lost_before, times=1)
    return drain_until_undecided("entity")


def test_a_bound_entity_lets_the_rest_go_out(
    lost_entity: Delivery, transport: FlakyTransport, service: FormationService, agent: Any
) -> None:
    assert transport.endpoints == ["POST entities"], "nothing goes out before it"
    [entity] = service.entities()
    bind(lost_entity.pk, agent=agent, remote_id=f" {entity['id']} ", note="By telephone")
    drain()
    assert len(service.entities()) == 1
    assert transport.endpoints.count("POST entities") == 1
    assert {one.state for one in Delivery.objects.all()} == {"done"}
    assert [party["first_name"] for party in service.records(entity["id"], Collection.PARTIES)] == ["Ada"]
    assert service.records(entity["id"], Collection.SHAREHOLDINGS)[0]["shares_held"] == 10_000


def test_a_worker_that_takes_only_what_is_due_goes_on_too(
    lost_entity: Delivery, service: FormationService, agent: Any
) -> None:
    """What waits for an id is never due by itself: who brings the id makes it due."""
    Delivery.objects.filter(state="queued").update(next_at=None)
    worker = Worker()
    assert not worker.work_once()
    bind(lost_entity.pk, agent=agent, remote_id=service.entities()[0]["id"])
    while worker.work_once():
        pass
    assert {one.state for one in Delivery.objects.all()} == {"done"}


def test_an_absent_entity_is_sent_again_once_and_under_a_new_key(
    missing_entity: Delivery, transport: FlakyTransport, service: FormationService, agent: Any
) -> None:
    declare_absent(missing_entity.pk, agent=agent)
    for _ in range(3):
        drain()
    first, second = (made for made in transport.calls if made.endpoint == "POST entities")
    assert first.key != second.key
    assert first.body == second.body
    assert len(service.entities()) == 1
    assert {one.state for one in Delivery.objects.all()} == {"done"}


def test_a_decision_is_kept_with_who_took_it(lost_entity: Delivery, agent: Any) -> None:
    bind(lost_entity.pk, agent=agent, remote_id="ent_9", note="Mail of Monday,\r\nfrom their desk")
    decision = Decision.objects.get()
    assert (decision.delivery_id, decision.agent, decision.kind) == (lost_entity.pk, agent, "bind")
    assert (decision.remote_id, decision.note) == ("ent_9", "Mail of Monday,\nfrom their desk")
    entry = Entry.objects.get(action=AuditAction.DECISION)
    assert (entry.actor, entry.account, entry.subject) == (Actor.AGENT, agent.pk, f"delivery {lost_entity.pk}")
    detail = json.loads(entry.detail)
    assert list(detail.pop("rows")) == ["relay.decision"]
    assert detail == {"decision": decision.pk, "said": "bind"}


def test_a_decision_is_logged_without_what_was_written(
    lost_entity: Delivery, agent: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", logger="formation_portal.relay")
    bind(lost_entity.pk, agent=agent, remote_id="ent_9", note="Ada says so")
    log = caplog.text
    assert f"agent {agent.pk} decided bind" in log
    assert lost_entity.application.reference in log
    assert "Ada" not in log
    assert agent.email not in log


def test_what_was_changed_meanwhile_follows(
    lost_entity: Delivery, complete: Draft, service: FormationService, owner: Any, agent: Any
) -> None:
    save(complete, "the-company", {"entity.name": "Larkspur"}, owner)
    assert row("entity").needs_a_decision, "a change settles nothing"
    [entity] = service.entities()
    bind(lost_entity.pk, agent=agent, remote_id=entity["id"])
    drain()
    assert service.entity(entity["id"])["name"] == "Larkspur"


def test_what_was_removed_meanwhile_is_removed_there(
    lost_entity: Delivery, complete: Draft, service: FormationService, owner: Any, agent: Any
) -> None:
    services.delete_draft(complete.application, by=owner)
    [entity] = service.entities()
    bind(lost_entity.pk, agent=agent, remote_id=entity["id"])
    drain()
    assert service.entities() == []


def test_what_was_removed_meanwhile_and_is_absent_is_done(
    missing_entity: Delivery, complete: Draft, transport: FlakyTransport, owner: Any, agent: Any
) -> None:
    services.delete_draft(complete.application, by=owner)
    declare_absent(missing_entity.pk, agent=agent)
    drain()
    assert row("entity").state == "done"
    assert transport.endpoints == ["POST entities"]


def test_what_is_no_id_is_refused(lost_entity: Delivery, agent: Any) -> None:
    for text in ("", "   ", "ent\u00a09", "ent\n9", "ent\x009", "e" * 201, "ent\u202e9", "pty_9"):
        with pytest.raises(DecisionRefused) as refused:
            bind(lost_entity.pk, agent=agent, remote_id=text)
        assert refused.value.field == "remote_id"
    assert row("entity").needs_a_decision
    assert not Decision.objects.exists()


def test_an_id_that_another_thing_has_is_refused(
    lost_entity: Delivery, owner: Any, agent: Any, service: FormationService
) -> None:
    services.start(owner=owner, product=factories.product())
    drain()
    other = Delivery.objects.exclude(pk=lost_entity.pk).get(kind="entity")
    assert other.remote_id
    with pytest.raises(DecisionRefused) as refused:
        bind(lost_entity.pk, agent=agent, remote_id=other.remote_id)
    assert refused.value.field == "remote_id"


def test_the_second_of_two_decisions_is_told_that_it_comes_late(lost_entity: Delivery, agent: Any) -> None:
    bind(lost_entity.pk, agent=agent, remote_id="ent_9", seen_at=lost_entity.updated_at)
    with pytest.raises(DecisionOutdated):
        declare_absent(lost_entity.pk, agent=agent, seen_at=lost_entity.updated_at)
    assert Decision.objects.get().kind == "bind"
    assert row("entity").remote_id == "ent_9"


def test_a_decision_about_an_older_trouble_is_refused(lost_entity: Delivery, agent: Any) -> None:
    """The row is in doubt again, after another call than the agent has read about."""
    with pytest.raises(DecisionOutdated):
        declare_absent(lost_entity.pk, agent=agent, seen_at=lost_entity.updated_at - timedelta(seconds=9))


def test_a_shareholding_may_be_there_without_an_id(
    complete: Draft, transport: FlakyTransport, strict: None, service: FormationService, agent: Any
) -> None:
    """The interface shows no id in the answer to it."""
    transport.fail_on("POST entities/shareholdings", lost_after, times=1)
    found = drain_until_undecided("shareholding", "ada/ordinary")
    bind(found.pk, agent=agent, remote_id="")
    drain()
    after = row("shareholding", "ada/ordinary")
    assert (after.state, after.remote_id) == ("done", "")
    assert after.wanted == after.acknowledged
    assert len(service.records(row("entity").remote_id, Collection.SHAREHOLDINGS)) == 1


class TestAnAgentResolvesAChange:
    """The thing is there for sure; a later upload to its slot is in doubt."""

    @pytest.fixture
    def replaced(self, complete: Draft, transport: FlakyTransport, strict: None, owner: Any) -> Delivery:
        drain()
        transport.fail_on("POST entities/documents", lost_before, times=1)
        draft = factories.again(complete)
        services.add_document(
            draft, draft.party("ada"), "Passport", factories.upload(factories.PNG, "scan.png"), by=owner
        )
        return drain_until_undecided("document", "ada/Passport")

    def test_one_that_has_arrived_is_done(self, replaced: Delivery, transport: FlakyTransport, agent: Any) -> None:
        transport.clear()
        bind(replaced.pk, agent=agent, remote_id=replaced.remote_id)
        drain()
        after = row("document", "ada/Passport")
        assert (after.state, after.remote_id) == ("done", replaced.remote_id)
        assert transport.calls == []

    def test_one_that_has_not_is_sent_again(self, replaced: Delivery, service: FormationService, agent: Any) -> None:
        declare_absent(replaced.pk, agent=agent)
        drain()
        [document] = service.records(row("entity").remote_id, Collection.DOCUMENTS)
        assert document["name"] == "scan.png"


@pytest.mark.parametrize(
    ("kind", "state", "reason", "is_doubtful", "may"),
    [
        ("party", "held", "unclear", True, {"decide"}),
        ("party", "held", "ambiguous", True, {"decide"}),
        ("party", "held", "unsupported", False, {"inform", "must inform"}),
        ("party", "held", "not_found", False, {"inform", "send again"}),
        ("party", "held", "not_found", True, {"inform"}),
        ("party", "held", "file_missing", False, {"inform"}),
        ("party", "held", "idempotency_key_reused", False, {"inform"}),
        ("status", "held", "unclear", True, {"decide"}),
        ("status", "held", "not_found", False, {"decide", "send again"}),
        ("status", "held", "unsupported", False, {"decide"}),
        ("party", "done", "", False, set()),
        ("party", "done", "duplicate", False, {"decide"}),
        ("party", "done", "unsupported", False, {"inform", "must inform"}),
        ("status", "done", "unsupported", False, {"inform", "must inform"}),
        ("document", "waiting", "file_missing", False, {"inform"}),
        ("document", "waiting", "resend", False, set()),
        ("party", "unknown", "unclear", True, set()),
        ("party", "sending", "", False, set()),
        ("party", "reconciling", "", False, set()),
        ("party", "refused", "", False, {"send again"}),
    ],
)
def test_what_an_agent_may_do_with_a_delivery(
    kind: str, state: str, reason: str, is_doubtful: bool, may: set[str]
) -> None:
    delivery = Delivery(kind=kind, state=state, reason=reason, application=Application(state="submitted_for_review"))
    delivery.unclear_since = timezone.now() if is_doubtful else None
    questions = {
        "decide": is_undecided(delivery),
        "inform": may_inform_provider(delivery),
        "must inform": must_inform_provider(delivery),
        "send again": may_send_again(delivery),
    }
    assert {name for name, is_so in questions.items() if is_so} == may


@pytest.mark.parametrize(("kind", "may"), [("submission", False), ("status", False), ("party", True)])
def test_what_was_refused_and_went_back_is_sent_again_by_its_customer(kind: str, may: bool) -> None:
    application = Application(state="returned_for_changes")
    assert may_send_again(Delivery(kind=kind, state="refused", application=application)) is may
