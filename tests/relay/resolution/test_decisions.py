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
from formation_portal.relay.models import Decision, Delivery, Reason
from formation_portal.relay.resolution import (
    DecisionOutdated,
    DecisionRefused,
    bind,
    declare_absent,
    is_undecided,
    may_inform_provider,
    may_send_again,
    must_inform_provider,
    record_provider_informed,
)
from formation_portal.relay.worker import Worker, drain
from tests import factories
from tests.encrypted_rows import update_each
from tests.relay.conftest import row, save
from tests.relay.flaky_transport import FlakyTransport, lost_after, lost_before

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def drain_until_undecided(kind: str, subject: str = "") -> Delivery:
    """The row, once the relay has found that nothing here can tell."""
    for _ in range(3):
        drain()
    found = row(kind, subject)
    assert found.needs_a_decision, found
    return found


ADA = {
    "party_type": "person",
    "roles": ["director", "shareholder"],
    "first_name": "Ada",
    "last_name": "Lovelace",
    "email": "ada@example.com",
    "date_of_birth": "1985-12-10",
}


@pytest.fixture
def lost_entity(complete: Draft, strict: FlakyTransport) -> Delivery:
    """The entity was made, and the answer is lost."""
    strict.fail_on("POST entities", lost_after, times=1)
    return drain_until_undecided("entity")


@pytest.fixture
def missing_entity(complete: Draft, strict: FlakyTransport) -> Delivery:
    """The request was lost on its way, which looks the same."""
    strict.fail_on("POST entities", lost_before, times=1)
    return drain_until_undecided("entity")


def test_a_bound_entity_lets_the_rest_go_out(
    lost_entity: Delivery, transport: FlakyTransport, service: FormationService, agent: Any
) -> None:
    assert transport.endpoints == ["POST entities"], "nothing goes out before it"
    # What waits for an id is never due by itself: who brings the id makes it due.
    Delivery.objects.filter(state="queued").update(next_at=None)
    worker = Worker()
    assert not worker.work_once()
    [entity] = service.entities()
    bind(lost_entity.pk, agent=agent, remote_id=f" {entity['id']} ", note="By telephone")
    while worker.work_once():
        pass
    assert len(service.entities()) == 1
    assert transport.endpoints.count("POST entities") == 1
    assert set(Delivery.objects.values_list("state", "next_at")) == {("done", None)}
    assert [party["first_name"] for party in service.records(entity["id"], Collection.PARTIES)] == ["Ada"]
    assert service.records(entity["id"], Collection.SHAREHOLDINGS)[0]["shares_held"] == 10_000


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


def test_a_decision_is_kept_with_who_took_it_and_logged_without_what_was_written(
    lost_entity: Delivery, agent: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", logger="formation_portal.relay")
    bind(lost_entity.pk, agent=agent, remote_id="ent_9", note="Mail of Monday,\r\nAda says so")
    decision = Decision.objects.get()
    assert (decision.delivery_id, decision.agent, decision.kind) == (lost_entity.pk, agent, "bind")
    assert (decision.remote_id, decision.note) == ("ent_9", "Mail of Monday,\nAda says so")
    entry = Entry.objects.get(action=AuditAction.DECISION)
    assert (entry.actor, entry.account, entry.subject) == (Actor.AGENT, agent.pk, f"delivery {lost_entity.pk}")
    detail = json.loads(entry.detail)
    assert list(detail.pop("rows")) == ["relay.decision"]
    assert detail == {"decision": decision.pk, "said": "bind"}
    assert f"agent {agent.pk} decided bind" in caplog.text
    assert lost_entity.application.reference in caplog.text
    assert "Ada" not in caplog.text
    assert agent.email not in caplog.text


def test_a_change_meanwhile_follows(
    lost_entity: Delivery, complete: Draft, service: FormationService, agent: Any
) -> None:
    save(complete, "the-company", {"entity.name": "Larkspur"})
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


def test_an_id_that_another_thing_has_is_refused(lost_entity: Delivery, owner: Any, agent: Any) -> None:
    services.start(owner=owner, product=factories.product())
    drain()
    other = Delivery.objects.exclude(pk=lost_entity.pk).get(kind="entity")
    assert other.remote_id
    with pytest.raises(DecisionRefused) as refused:
        bind(lost_entity.pk, agent=agent, remote_id=other.remote_id)
    assert refused.value.field == "remote_id"


def test_a_decision_about_an_older_trouble_and_the_second_of_two_come_late(lost_entity: Delivery, agent: Any) -> None:
    seen_at = lost_entity.updated_at
    # The row is in doubt again, after another call than the agent has read about.
    with pytest.raises(DecisionOutdated):
        declare_absent(lost_entity.pk, agent=agent, seen_at=seen_at - timedelta(seconds=9))
    bind(lost_entity.pk, agent=agent, remote_id="ent_9", seen_at=seen_at)
    with pytest.raises(DecisionOutdated):
        declare_absent(lost_entity.pk, agent=agent, seen_at=seen_at)
    assert Decision.objects.get().kind == "bind"
    assert row("entity").remote_id == "ent_9"


@pytest.mark.usefixtures("complete")
def test_a_shareholding_may_have_no_id_there(strict: FlakyTransport, service: FormationService, agent: Any) -> None:
    """The interface shows no id in the answer to it."""
    strict.fail_on("POST entities/shareholdings", lost_after, times=1)
    found = drain_until_undecided("shareholding", "ada/ordinary")
    bind(found.pk, agent=agent, remote_id="")
    drain()
    after = row("shareholding", "ada/ordinary")
    assert (after.state, after.remote_id) == ("done", "")
    assert after.wanted == after.acknowledged
    assert len(service.records(row("entity").remote_id, Collection.SHAREHOLDINGS)) == 1


@pytest.mark.parametrize("has_arrived", [True, False])
def test_a_later_upload_in_doubt_is_done_or_sent_again(
    complete: Draft, strict: FlakyTransport, service: FormationService, owner: Any, agent: Any, has_arrived: bool
) -> None:
    drain()
    strict.fail_on("POST entities/documents", lost_before, times=1)
    scan = factories.upload(factories.PNG, "scan.png")
    services.add_document(factories.again(complete), complete.party("ada"), "Passport", scan, by=owner)
    replaced = drain_until_undecided("document", "ada/Passport")
    strict.clear()
    if has_arrived:
        bind(replaced.pk, agent=agent, remote_id=replaced.remote_id)
    else:
        declare_absent(replaced.pk, agent=agent)
    drain()
    assert strict.endpoints == ([] if has_arrived else ["POST entities/documents"])
    [document] = service.records(row("entity").remote_id, Collection.DOCUMENTS)
    assert document["name"] == ("passport.pdf" if has_arrived else "scan.png")
    after = row("document", "ada/Passport")
    assert (after.state, after.remote_id, after.next_at) == ("done", document["id"], None)


@pytest.fixture
def duplicated(complete: Draft, transport: FlakyTransport) -> Delivery:
    """A party that was sent twice, and that the service has made twice."""
    drain()
    Delivery.objects.filter(kind="party").update(reason=Reason.DUPLICATE)
    transport.clear()
    return row("party", "ada")


def test_a_duplicate_that_keeps_its_id_is_not_sent(duplicated: Delivery, transport: FlakyTransport, agent: Any) -> None:
    bind(duplicated.pk, agent=agent, remote_id=duplicated.remote_id)
    drain()
    after = row("party", "ada")
    assert (after.state, after.reason, after.remote_id, after.next_at) == ("done", "", duplicated.remote_id, None)
    assert after.wanted == after.acknowledged
    assert transport.calls == []


def test_what_the_provider_was_informed_of_is_due_no_more(duplicated: Delivery, agent: Any) -> None:
    update_each(Delivery.objects.filter(pk=duplicated.pk), state="held", reason=Reason.UNSUPPORTED)
    record_provider_informed(duplicated.pk, agent=agent, note="By telephone")
    assert (row("party", "ada").state, row("party", "ada").next_at) == ("done", None)


@pytest.mark.parametrize("has_another", [True, False])
def test_what_a_duplicate_holds_goes_to_the_id_that_is_left_or_to_a_new_one(
    duplicated: Delivery, transport: FlakyTransport, service: FormationService, agent: Any, has_another: bool
) -> None:
    entity_id = row("entity").remote_id
    if has_another:
        other = service.add_record(entity_id, Collection.PARTIES, ADA, key="other")["party_id"]
    for holding in service.records(entity_id, Collection.SHAREHOLDINGS):
        service.remove_record(entity_id, Collection.SHAREHOLDINGS, holding["id"])
    service.remove_record(entity_id, Collection.PARTIES, duplicated.remote_id)
    if has_another:
        bind(duplicated.pk, agent=agent, remote_id=other)
    else:
        declare_absent(duplicated.pk, agent=agent)
    drain()
    [party] = service.records(entity_id, Collection.PARTIES)
    party_id = row("party", "ada").remote_id
    assert party["party_id"] == party_id != duplicated.remote_id
    assert transport.endpoints.count("POST entities/parties") == (0 if has_another else 1)
    for collection in (Collection.DOCUMENTS, Collection.SHAREHOLDINGS):
        assert [record["party_id"] for record in service.records(entity_id, collection)] == [party_id]
    assert service.csp_data(entity_id, party_id=party_id)["csp_data"] == {"xy.person.is_pep": False}
    assert set(Delivery.objects.values_list("state", flat=True)) == {"done"}


@pytest.mark.parametrize(
    ("kind", "state", "reason", "is_doubtful", "may"),
    [
        ("party", "held", "unclear", True, {"decide"}),
        ("party", "held", "unsupported", False, {"inform", "must inform"}),
        ("party", "held", "not_found", False, {"inform", "send again"}),
        ("party", "held", "not_found", True, {"inform"}),
        ("party", "held", "file_missing", False, {"inform"}),
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
