"""An agent reads why the service refused a delivery and sends it again; never one whose outcome is unknown."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications.draft import Draft
from formation_portal.relay.models import Decision, Delivery, Reason
from tests.desk.undecided_deliveries import page_of, path, post, put

pytestmark = pytest.mark.django_db(databases=["default", "service"])

FAULT = {
    "field": "csp_data",
    "code": "wrong_type",
    "message": "An object of csp_field_key to value is required",
    "is_answerable": False,
}


def held(**more: Any) -> Delivery:
    return put("entity_csp", "held", "validation_failed", **({"unclear_since": None, "problems": [FAULT]} | more))


def test_the_page_shows_the_services_words_and_code_and_sends_again(complete: Draft, as_agent: Client) -> None:
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


@pytest.mark.parametrize("reason", [Reason.UNCLEAR, "unsupported"])
def test_a_delivery_in_doubt_or_without_a_call_has_no_such_button_and_the_server_refuses_it(
    complete: Draft, as_agent: Client, reason: str
) -> None:
    row = put("party", "held", reason)
    assert "Send again" not in [button.text for button in page_of(as_agent, path(row)).all("button")]
    response = post(as_agent, row, decision="again")
    assert response.status_code == 409
    assert "not recorded" in response.content.decode()
    assert Delivery.objects.get(pk=row.pk).state == "held"
    assert not Decision.objects.exists()


def test_a_second_agent_who_comes_late_sends_nothing(complete: Draft, as_agent: Client, as_colleague: Client) -> None:
    row = held()
    assert post(as_agent, row, decision="again").status_code == 302
    assert post(as_colleague, row, decision="again").status_code == 409
    assert Decision.objects.count() == 1


def test_an_agent_without_the_right_sees_no_button(complete: Draft, as_agent: Client, agent: Any) -> None:
    agent.set_rights(["all_cases"])
    row = held()
    assert "Send again" not in [button.text for button in page_of(as_agent, path(row)).all("button")]
    assert post(as_agent, row, decision="again").status_code == 403
    assert Delivery.objects.get(pk=row.pk).state == "held"


def test_held_refusals_are_counted_where_agents_begin(complete: Draft, as_agent: Client) -> None:
    held()
    assert "Deliveries: 1 to decide" in page_of(as_agent, "/desk/").one("main").text
