"""An agent decides on the page of a thing: what was wrong stands at its control, and who comes late is told."""

import pytest
from django.test import Client

from formation_portal.applications.draft import Draft
from formation_portal.relay.models import Decision, Delivery, Reason
from tests.desk.undecided_deliveries import page_of, path, post, put
from tests.markup import Markup

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def test_an_agent_binds_it(complete: Draft, as_agent: Client) -> None:
    row = put("party", "held", Reason.UNCLEAR)
    response = as_agent.post(
        path(row, "decision/"),
        {"seen": _seen(as_agent, row), "decision": "bind", "remote_id": "pty_9", "note": "Mail of Monday"},
    )
    assert (response.status_code, response["Location"]) == (302, path(row))
    after = Delivery.objects.get(pk=row.pk)
    assert (after.state, after.remote_id) == ("done", "pty_9")
    markup = page_of(as_agent, path(row))
    assert "Mira Okafor: The formation service has it pty_9" in markup.one("main").text
    assert "Mail of Monday" in markup.one("main").text
    assert not markup.all("input", name="decision")


def _seen(client: Client, row: Delivery) -> str:
    return str(page_of(client, path(row)).one("input", name="seen").attributes["value"])


def test_an_agent_declares_it_absent(complete: Draft, as_agent: Client) -> None:
    row = put("party", "held", Reason.UNCLEAR)
    assert post(as_agent, row, decision="absent").status_code == 302
    assert Delivery.objects.get(pk=row.pk).state == "queued"
    assert "It will be sent again" in page_of(as_agent, path(row)).one("main").text


@pytest.mark.parametrize(
    ("form", "control_id"),
    [
        ({}, "decision-bind"),
        ({"decision": "perhaps"}, "decision-bind"),
        ({"decision": "bind", "remote_id": ""}, "remote_id"),
        ({"decision": "bind", "remote_id": "pty 9"}, "remote_id"),
        ({"decision": "bind", "remote_id": "pty_9", "note": "n" * 1001}, "note"),
    ],
    ids=("none", "another", "no-id", "malformed", "long-note"),
)
def test_what_is_wrong_stands_at_its_control_and_nothing_typed_is_lost(
    complete: Draft, as_agent: Client, form: dict[str, str], control_id: str
) -> None:
    row = put("party", "held", Reason.UNCLEAR)
    response = post(as_agent, row, **form)
    assert response.status_code == 422
    markup = Markup(response.content.decode())
    assert markup.faults == []
    [link] = [one for one in markup.all("a") if any(div.attributes.get("role") == "alert" for div in one.ancestors)]
    assert link.attributes["href"] == f"#{control_id}"
    assert link.text in markup.one("p", id=f"{control_id.partition('-')[0]}-error").text
    assert markup.one("input", id="remote_id").attributes["value"] == form.get("remote_id", "")
    assert markup.one("textarea", id="note").text.strip() == form.get("note", "")
    is_bound = "checked" in markup.one("input", id="decision-bind").attributes
    assert is_bound == (form.get("decision") == "bind")
    assert not Decision.objects.exists()


def test_a_form_that_comes_late_shows_what_happened_instead(complete: Draft, as_agent: Client) -> None:
    row = put("party", "held", Reason.UNCLEAR)
    assert post(as_agent, row, decision="bind", remote_id="pty_9").status_code == 302
    response = post(as_agent, row, decision="absent")
    assert response.status_code == 409
    text = Markup(response.content.decode()).one("main").text
    assert "This changed after you opened it" in text
    assert "The formation service has it pty_9" in text
    assert Delivery.objects.get(pk=row.pk).state == "done"


def test_a_form_that_says_no_moment_is_late(complete: Draft, as_agent: Client) -> None:
    row = put("party", "held", Reason.UNCLEAR)
    for seen in ("", "yesterday", "2026-02-31T00:00:00+00:00", "2026-11-21T10:00:00"):
        answer = as_agent.post(path(row, "decision/"), {"seen": seen, "decision": "absent"})
        assert answer.status_code == 409, seen
    assert not Decision.objects.exists()


def test_a_decision_that_is_only_opened_leads_to_its_thing(complete: Draft, as_agent: Client) -> None:
    row = put("party", "held", Reason.UNCLEAR)
    assert as_agent.get(path(row, "decision/"))["Location"] == path(row)


def test_no_one_decides_about_what_settles_itself(complete: Draft, as_agent: Client) -> None:
    row = put("party", "unknown", Reason.UNCLEAR)
    assert not page_of(as_agent, path(row)).all("input", name="decision")
    assert post(as_agent, row, decision="absent").status_code == 409
