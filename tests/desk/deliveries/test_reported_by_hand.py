"""What a service with only the documented calls can't take is told by hand: an agent records it, and all goes on."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.audit.models import AuditAction, Entry
from formation_portal.relay.delivery_status import deliveries_of
from formation_portal.relay.models import Decision, Delivery
from formation_portal.relay.worker import drain
from tests import factories
from tests.desk.review_rounds import change_ada
from tests.desk.undecided_deliveries import page_of, path, titles
from tests.encrypted_rows import rows_with
from tests.markup import Markup
from tests.other_service import OtherService
from tests.other_service.fixtures import at_other_service, other_service
from tests.relay.conftest import _files_go_nowhere_else, row
from tests.relay.test_other_service import shares

__all__ = ["_files_go_nowhere_else", "at_other_service", "other_service", "shares"]

NOTE = "Ana at the provider, by telephone"


@pytest.fixture
def changed(shares: Draft, at_other_service: OtherService, owner: Any) -> Delivery:
    """Ada has another name since the service was told of her, and the customer has sent it."""
    services.submit(shares, by=owner)
    drain()
    services.reopen(shares, reason="Please look again")
    change_ada(shares, owner, {"person.last_name": "King"})
    services.submit(factories.again(shares), by=owner)
    drain()
    found = row("party", "ada")
    assert (found.state, found.reason) == ("held", "unsupported")
    return found


def record(client: Client, found: Delivery, **form: Any) -> Any:
    markup = page_of(client, path(found))
    posted = [one for one in markup.all("form") if one.attributes.get("action", "").endswith("/decision/")][-1]
    hidden = {name: markup.all("input", name=name)[-1].attributes["value"] for name in ("seen", "decision")}
    return client.post(posted.attributes["action"], hidden | {"note": NOTE} | form)


def test_what_was_told_by_hand_counts_as_received_and_the_rest_goes_on(
    changed: Delivery, shares: Draft, at_other_service: OtherService, as_agent: Client, agent: Any
) -> None:
    assert deliveries_of(shares.application).of_party("ada").words == "With our team"
    assert row("submission", "2").state == "queued", "it waits for what was changed"
    assert titles(as_agent, "?state=by_hand") == ["Submission", "Ada King, person"]
    markup = page_of(as_agent, path(changed))
    section = markup.one("section", aria_labelledby="by-hand")
    assert [cell.text for cell in markup.all("td") if section in cell.ancestors] == ["Lovelace", "King"]
    without_note = record(as_agent, changed, note="  ")
    assert without_note.status_code == 422
    assert Markup(without_note.content.decode()).one("p", id="note-error").text
    assert not Decision.objects.exists()
    assert record(as_agent, changed).status_code == 302
    drain()
    found = row("party", "ada")
    assert (found.state, found.reason, found.wanted) == ("done", "told", found.acknowledged)
    assert found.remote_id == changed.remote_id
    assert deliveries_of(shares.application).of_party("ada").words == "Received"
    assert row("submission", "2").state == "done", "what waited for it goes on"
    decision = Decision.objects.get()
    assert (decision.agent, decision.kind, decision.note) == (agent, "told", NOTE)
    assert decision.informed_payload["answers"]["person.last_name"] == "King"
    entry = Entry.objects.filter(action=AuditAction.DECISION).latest("pk")
    assert f'"decision":{decision.pk}' in entry.detail
    assert len(at_other_service.requests("POST", "/parties")) == 2, "nothing is sent twice"


def test_a_removal_that_was_told_is_gone_whole(changed: Delivery, shares: Draft, as_agent: Client, owner: Any) -> None:
    services.reopen(shares, reason="Please look again")
    draft = factories.again(shares)
    nominees = draft.party("ltd")
    assert nominees is not None
    services.save_holdings(draft, {("ada", "blue"): "100", ("ltd", "blue"): ""}, by=owner)
    services.remove_party(draft, nominees, by=owner)
    services.submit(factories.again(draft), by=owner)
    drain()
    held = Delivery.objects.filter(state="held", reason="unsupported")
    assert {one.name for one in held.all()} >= {("party", "ltd"), ("shareholding", "ltd/blue")}
    while found := held.last():
        assert record(as_agent, found).status_code == 302
    drain()
    assert not held.exists()
    gone = row("party", "ltd")
    assert (gone.state, gone.acknowledged, gone.remote_id) == ("done", None, "")
    assert row("submission", "3").state == "done"


def test_steps_are_told_in_one_go_and_the_customers_waiting_ends(
    shares: Draft, at_other_service: OtherService, as_agent: Client, as_owner: Client, agent: Any, owner: Any
) -> None:
    services.submit(shares, by=owner)
    services.advance(factories.again(shares), "begin_review", by=agent)
    services.advance(factories.again(shares), "approve", by=agent)
    drain()
    status = f"/applications/{shares.application.reference}/status/"
    assert "With our team" in as_owner.get(status).content.decode()
    steps = Delivery.objects.filter(kind__in=("submission", "status"), reason="unsupported").order_by("position")
    first, *others = steps
    assert len(others) == 2
    offered = [one.attributes["value"] for one in page_of(as_agent, path(first)).all("input", name="also")]
    assert offered == [str(one.pk) for one in others], "the step itself is no other one"
    record(as_agent, first, also=[str(one.pk) for one in others])
    assert {one.reason for one in Delivery.objects.filter(kind__in=("submission", "status"))} == {"told"}
    assert len(rows_with(Decision.objects, kind="told", note=NOTE)) == 3
    assert "With our team" not in as_owner.get(status).content.decode()
    assert titles(as_agent) == []


def test_what_changes_afterwards_is_to_be_told_again(
    changed: Delivery, shares: Draft, as_agent: Client, owner: Any
) -> None:
    # What is held for another reason has this way out too.
    Delivery.objects.filter(pk=changed.pk).update(reason="not_found")
    assert titles(as_agent, "?state=held") == ["Ada King, person"]
    assert record(as_agent, changed).status_code == 302
    assert row("party", "ada").state == "done"
    drain()
    services.reopen(shares, reason="Once more")
    change_ada(shares, owner, {"person.last_name": "Byron"})
    services.submit(factories.again(shares), by=owner)
    drain()
    found = row("party", "ada")
    assert (found.state, found.reason) == ("held", "unsupported")
    assert found.acknowledged["answers"]["person.last_name"] == "King", "as it was told"
