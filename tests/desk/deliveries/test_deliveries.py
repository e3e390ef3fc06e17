"""What agents look after at the service: the list, and one thing with its evidence."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.audit.models import AuditAction, Entry
from formation_portal.relay.delivery_status import deliveries_of
from formation_portal.relay.models import Decision, Delivery, Look, Reason
from formation_portal.relay.service_profile import update_profile
from formation_portal.relay.worker import drain
from tests import factories
from tests.desk.decision_setup import error_links, sound
from tests.desk.review_rounds import change_ada
from tests.desk.undecided_deliveries import LIST, page_of, path, post, put, titles
from tests.encrypted_rows import rows_with, update_each
from tests.other_service import OtherService
from tests.other_service.fixtures import at_other_service, other_service
from tests.relay.conftest import _files_go_nowhere_else, row
from tests.relay.test_other_service import shares


def test_a_row_is_in_its_group(complete: Draft, as_agent: Client) -> None:
    for groups, state, reason, look in (
        (["undecided"], "held", Reason.UNCLEAR, "warning"),
        (["undecided"], "held", Reason.AMBIGUOUS, "warning"),
        (["undecided", "duplicates"], "done", Reason.DUPLICATE, "warning"),
        (["unknown"], "reconciling", Reason.UNCLEAR, "open"),
        (["by_hand"], "held", "unsupported", "warning"),
        (["held"], "held", "some_code", "warning"),
        (["refused"], "refused", "taken", "open"),
        (["waiting"], "waiting", "", "open"),
    ):
        put("party", state, reason)
        markup = page_of(as_agent, LIST)
        assert markup.all("tr")[1].attributes["class"] == f"is-{look}"
        assert all(titles(as_agent, f"?state={group}") for group in groups)
        nav = markup.one("nav", aria_label="Groups")
        views = [link.text for link in markup.all("a") if nav in link.ancestors]
        assert views[0] == "All 1"
        assert sum(view.endswith(" 1") for view in views) == 1 + len(groups)
    # What a dead worker left is being checked.
    row = put("party", "sending", unclear_since=None)
    for minutes, group in ((1, []), (-1, ["Ada Lovelace, person"])):
        Delivery.objects.filter(pk=row.pk).update(lease_until=timezone.now() + timedelta(minutes=minutes))
        assert titles(as_agent, "?state=unknown") == group


def test_the_list_has_pages_and_a_fixed_number_of_queries(owner: Any, as_agent: Client) -> None:
    costs = []
    for count in (2, 60):
        for _ in range(count):
            services.start(owner=owner, product=factories.product())
        Delivery.objects.filter(kind="entity").update(state="held", reason=Reason.UNCLEAR)
        with CaptureQueriesContext(connection) as captured:
            as_agent.get(LIST)
        costs.append(len(captured))
    assert costs[0] == costs[1]
    assert len(titles(as_agent)) == 50
    assert len(titles(as_agent, "?page=2")) == 12


def test_the_queue_counts_what_is_to_settle(submitted: Draft, as_agent: Client) -> None:
    assert "to decide" not in page_of(as_agent, "/desk/").one("main").text
    row = put("party", "held", Reason.UNCLEAR)
    put("share_class", "done", Reason.DUPLICATE)
    put("entity", "unknown", Reason.UNCLEAR)
    markup = page_of(as_agent, "/desk/")
    [link] = [one for one in markup.all("a") if "to decide" in one.text]
    assert link.text == "Deliveries: 2 to decide"
    assert link.attributes["href"] == LIST
    case = page_of(as_agent, f"/desk/{submitted.application.reference}/")
    assert path(row) in [link.attributes.get("href") for link in case.all("a")]
    assert "2 to decide" in case.one("main").text


def test_a_thing_shows_its_evidence_with_the_time_zone(complete: Draft, as_agent: Client, settings: Any) -> None:
    settings.TIME_ZONE = "Pacific/Chatham"
    row = put("party", "held", Reason.AMBIGUOUS)
    look = Look.objects.create(delivery=row, records=3, matches=["pty_1", "pty_2"], conclusion="several may be it")
    # There it is 00:15 of the next day.
    Look.objects.filter(pk=look.pk).update(looked_at=datetime(2026, 11, 24, 10, 30, tzinfo=UTC))
    markup = page_of(as_agent, path(row))
    text = markup.one("main").text
    assert markup.one("h1").text == "Ada Lovelace, person"
    for word in (
        "Several records",
        "Several possible matches",
        f"req-{row.pk}",
        "k1",
        "status 502",
        "3 records read",
        "pty_1, pty_2",
        "25 November 2026, 00:15:00",
    ):
        assert word in text, word
    assert text.count("Times in Chatham time") == 2


def test_what_the_provider_has_to_change_is_named_without_values(complete: Draft, owner: Any, as_agent: Client) -> None:
    row = put("party", "held", "unsupported")
    update_each(Delivery.objects.filter(pk=row.pk), acknowledged=row.wanted)
    services.save_party(complete, complete.parties[0], {"person.last_name": "King"}, version=1, by=owner)
    Delivery.objects.filter(pk=row.pk).update(state="held", reason="unsupported")
    provider_message = page_of(as_agent, path(row)).one("textarea", id="inquiry").text
    assert "Changed: last_name" in provider_message
    for value in ("King", "Ada", "Lovelace", "example.com", "1985", "Larkfield"):
        assert value not in provider_message
    Delivery.objects.filter(pk=row.pk).update(wanted=None)
    assert "Please remove it." in page_of(as_agent, path(row)).one("textarea", id="inquiry").text


def test_what_settles_itself_or_is_not_wrong_is_decided_by_nobody(complete: Draft, as_agent: Client) -> None:
    row = Delivery.objects.get(kind="party")
    assert as_agent.get(path(row)).status_code == 404
    assert post(as_agent, row, decision="absent").status_code == 404
    row = put("party", "unknown", Reason.UNCLEAR)
    assert not page_of(as_agent, path(row)).all("input", name="decision")
    assert post(as_agent, row, decision="absent").status_code == 409
    row = put("party", "held", Reason.UNCLEAR)
    # A form that says no moment is late.
    for seen in ("", "yesterday", "2026-02-31T00:00:00+00:00", "2026-11-21T10:00:00"):
        answer = as_agent.post(path(row, "decision/"), {"seen": seen, "decision": "absent"})
        assert answer.status_code == 409, seen
    assert not Decision.objects.exists()
    assert post(as_agent, row, decision="absent").status_code == 302
    assert Delivery.objects.get(pk=row.pk).state == "queued"


def test_only_trouble_of_the_service_is_a_warning_beside_a_delivery(complete: Draft, as_agent: Client) -> None:
    row, later = put("party", "held", Reason.UNCLEAR), timezone.now() + timedelta(minutes=5)
    update_profile(probed_at=timezone.now(), failures=5, open_until=later)
    page = page_of(as_agent, path(row))
    rail = page.one("aside", aria_label="About the service")
    shown = {one.attributes["class"]: one.text.strip() for one in page.all("p") if rail in one.ancestors}
    assert list(shown) == ["small is-warning", "small quiet"]
    assert shown["small is-warning"].startswith("The formation service failed to answer 5 times in a row.")
    assert shown["small quiet"].startswith("The formation service was last probed on ")
    assert len([one for one in page.all("span", class_="status") if rail in one.ancestors]) == 1
    update_profile(paused_until=later, pause_reason="key")
    assert "rejects our key" in page_of(as_agent, LIST).one("main").text


def test_an_agent_binds_it_and_a_form_that_comes_late_shows_that(complete: Draft, as_agent: Client) -> None:
    row = put("party", "held", Reason.UNCLEAR)
    seen = page_of(as_agent, path(row)).one("input", name="seen").attributes["value"]
    response = as_agent.post(
        path(row, "decision/"),
        {"seen": seen, "decision": "bind", "remote_id": "pty_9", "note": "Mail of Monday"},
    )
    assert (response.status_code, response["Location"]) == (302, path(row))
    after = Delivery.objects.get(pk=row.pk)
    assert (after.state, after.remote_id) == ("done", "pty_9")
    markup = page_of(as_agent, path(row))
    assert "Mira Okafor: The formation service has it pty_9" in markup.one("main").text
    assert "Mail of Monday" in markup.one("main").text
    assert not markup.all("input", name="decision")
    late = post(as_agent, row, decision="absent")
    assert late.status_code == 409
    text = sound(late).one("main").text
    assert "This changed after you opened it" in text
    assert "The formation service has it pty_9" in text
    assert Delivery.objects.get(pk=row.pk).state == "done"


def test_what_is_wrong_stands_at_its_control_and_nothing_typed_is_lost(complete: Draft, as_agent: Client) -> None:
    row = put("party", "held", Reason.UNCLEAR)
    for form, control_id in (
        ({}, "decision-bind"),
        ({"decision": "perhaps"}, "decision-bind"),
        ({"decision": "bind", "remote_id": "pty 9"}, "remote_id"),
        ({"decision": "bind", "remote_id": "pty_9", "note": "n" * 1001}, "note"),
    ):
        markup = sound(post(as_agent, row, **form), 422)
        assert error_links(markup) == [control_id]
        assert markup.one("p", id=f"{control_id.partition('-')[0]}-error").text
        assert markup.one("input", id="remote_id").attributes["value"] == form.get("remote_id", "")
        assert markup.one("textarea", id="note").text.strip() == form.get("note", "")
        is_bound = "checked" in markup.one("input", id="decision-bind").attributes
        assert is_bound == (form.get("decision") == "bind")
    assert not Decision.objects.exists()


# What the service refused is sent again; never what is in doubt.

FAULT = {
    "field": "csp_data",
    "code": "wrong_type",
    "message": "An object of csp_field_key to value is required",
    "is_answerable": False,
}


def held(**more: Any) -> Delivery:
    return put("entity_csp", "held", "validation_failed", **({"unclear_since": None, "problems": [FAULT]} | more))


def test_what_the_service_said_is_shown_and_sent_again(complete: Draft, as_agent: Client, as_colleague: Client) -> None:
    row = held()
    markup = page_of(as_agent, path(row))
    text = markup.one("main").text
    assert "csp_data: An object of csp_field_key to value is required (code wrong_type)" in text
    assert [button.text for button in markup.all("button") if button.text == "Send again"]
    response = post(as_agent, row, decision="again")
    assert (response.status_code, response["Location"]) == (302, path(row))
    after = Delivery.objects.get(pk=row.pk)
    assert (after.state, after.problems, after.next_at is not None) == ("queued", [], True)
    markup = page_of(as_agent, path(row))
    assert "It will be sent again" in markup.one("main").text
    assert "Mira Okafor: Sent again unchanged" in markup.one("main").text
    assert post(as_colleague, row, decision="again").status_code == 409, "a second agent sends nothing"
    assert Decision.objects.count() == 1


@pytest.mark.parametrize("reason", [Reason.UNCLEAR, "unsupported"])
def test_a_delivery_in_doubt_is_not_sent_again(complete: Draft, as_agent: Client, reason: str) -> None:
    row = put("party", "held", reason)
    assert "Send again" not in [button.text for button in page_of(as_agent, path(row)).all("button")]
    response = sound(post(as_agent, row, decision="again"), 409)
    assert "not recorded" in response.one("main").text
    assert Delivery.objects.get(pk=row.pk).state == "held"
    assert not Decision.objects.exists()


# What a service with only the documented calls can't take is told by hand.


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
    without_note = sound(record(as_agent, changed, note="  "), 422)
    assert without_note.one("p", id="note-error").text
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
