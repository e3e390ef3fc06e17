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
from formation_portal.relay.models import Decision, Delivery, Look, Reason
from formation_portal.relay.service_profile import update_profile
from tests import factories
from tests.desk.decision_setup import error_links, sound
from tests.desk.undecided_deliveries import LIST, page_of, path, post, put, titles
from tests.encrypted_rows import update_each


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
    assert text.count("Times in Pacific/Chatham") == 2


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
    response = post(as_agent, row, decision="again")
    assert response.status_code == 409
    assert "not recorded" in response.content.decode()
    assert Delivery.objects.get(pk=row.pk).state == "held"
    assert not Decision.objects.exists()
