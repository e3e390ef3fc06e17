"""After a decision the next page has the button that undoes it; keys are asked once more; a colleague's case is taken
over first."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.contract.lifecycle import State
from formation_portal.desk.models import Case
from formation_portal.desk.queue import claims
from formation_portal.mail.models import Email
from formation_portal.reviews.models import DecisionOutcome, ReviewDecision
from tests import factories
from tests.desk.decision_setup import POINTER, case_page, decided, documents_of, page_version, path, sound, state
from tests.markup import Markup
from tests.reviews.deciding import let_decisions_take_effect

pytestmark = pytest.mark.django_db(databases=["default", "service"])
DECLINED = {"decision": "decline", "reason": "funds", "text": "We can't take it"}


def post(client: Client, draft: Draft, **typed: Any) -> Any:
    """Post a decision from a page that was opened just now; nothing takes effect yet."""
    form = {"sight": page_version(client, draft, "ruling/"), "unseen": documents_of(draft)}
    return client.post(path(draft, "ruling/"), form | typed)


def undo_buttons(markup: Markup, draft: Draft) -> list[str]:
    forms = markup.all("form", action=path(draft, "ruling/reversal/"))
    return [one.text.strip() for one in markup.all("button") if any(form in one.ancestors for form in forms)]


def outcome() -> str:
    return ReviewDecision.objects.latest("pk").outcome


def asked_again(response: Any) -> dict[str, list[str]]:
    """What the form of the second step posts."""
    markup = sound(response)
    section = markup.one("section", aria_labelledby="certain")
    form: dict[str, list[str]] = {}
    for control in markup.all("input", type="hidden"):
        if section in control.ancestors:
            form.setdefault(control.attributes["name"], []).append(control.attributes["value"])
    return form


def test_the_next_page_and_the_case_have_the_button_that_undoes_it(
    submitted: Draft, agent: Any, as_agent: Client, as_owner: Client
) -> None:
    factories.accept_everything(submitted, agent)
    status = f"/applications/{submitted.application.reference}/status/"
    before = Markup(as_owner.get(status).content.decode()).one("main").text
    assert post(as_agent, submitted, decision="approve", **POINTER)["Location"] == "/desk/"
    queue = sound(as_agent.get("/desk/"))
    assert "is approved for the registry. This takes effect in 10 seconds." in queue.one("main").text
    assert undo_buttons(queue, submitted) == ["Undo"]
    assert undo_buttons(sound(as_agent.get("/desk/")), submitted) == [], "the message is said once"
    case = case_page(as_agent, submitted)
    assert "Approval by you" in case.one("main").text
    assert undo_buttons(case, submitted) == ["Undo the approval"]
    assert case.all("input", name="decision") == []
    assert Markup(as_owner.get(status).content.decode()).one("main").text == before
    response = as_agent.post(path(submitted, "ruling/reversal/"))
    assert response["Location"] == path(submitted)
    assert "Your decision has been undone." in case_page(as_agent, submitted).one("main").text
    assert outcome() == DecisionOutcome.UNDONE
    let_decisions_take_effect()
    assert state(submitted) == State.IN_REVIEW
    text = case_page(as_agent, submitted).one("main").text
    assert "Approval by Mira Okafor, undone before it took effect" in text


def test_only_its_agent_undoes_it_until_it_takes_effect(
    submitted: Draft, as_agent: Client, as_colleague: Client
) -> None:
    post(as_agent, submitted, decision="return", text="Look again")
    case = case_page(as_colleague, submitted)
    assert "Return by Mira Okafor" in case.one("main").text
    assert undo_buttons(case, submitted) == []
    as_colleague.post(path(submitted, "ruling/reversal/"))
    assert "Only the agent who made this decision can undo it." in case_page(as_colleague, submitted).one("main").text
    assert outcome() == DecisionOutcome.SCHEDULED
    let_decisions_take_effect()
    assert as_agent.get(path(submitted, "ruling/reversal/"))["Location"] == path(submitted), "a GET undoes nothing"
    as_agent.post(path(submitted, "ruling/reversal/"))
    assert "already taken effect" in case_page(as_agent, submitted).one("main").text
    assert state(submitted) == State.RETURNED_FOR_CHANGES


@pytest.mark.parametrize("form", [{"at_once": "1"}, DECLINED])
def test_an_approval_or_decline_that_no_pointer_pressed_is_asked_about_once_more(
    submitted: Draft, agent: Any, as_agent: Client, form: dict[str, str]
) -> None:
    factories.accept_everything(submitted, agent)
    response = post(as_agent, submitted, **form, certain="")
    assert response.status_code == 200
    assert not ReviewDecision.objects.exists()
    assert "Nothing is decided yet" in sound(response).one("main").text
    again = asked_again(response)
    assert again["certain"] == ["1"]
    assert sound(response).all("button", autofocus="") == []
    assert as_agent.post(path(submitted, "ruling/"), again).status_code == 302
    made = ReviewDecision.objects.get()
    assert (made.outcome, made.text) == (DecisionOutcome.SCHEDULED, form.get("text", ""))


def test_a_confirmation_by_keys_is_asked_about_once_more_and_the_next_case_is_another(
    submitted: Draft, agent: Any, as_agent: Client, as_colleague: Client, settings: Any
) -> None:
    settings.FOUR_EYES = True
    factories.accept_everything(submitted, agent)
    post(as_agent, submitted, decision="approve", **POINTER)
    claims.release([submitted.application.pk], by=agent)
    form = {"sight": page_version(as_colleague, submitted, "ruling/"), "unseen": documents_of(submitted)}
    response = as_colleague.post(path(submitted, "ruling/confirmation/"), form)
    assert "Approve this application?" in sound(response).one("main").text
    assert outcome() == DecisionOutcome.WAITING
    confirmed = as_colleague.post(path(submitted, "ruling/confirmation/"), asked_again(response) | {"then": "next"})
    assert confirmed["Location"] == "/desk/"
    assert outcome() == DecisionOutcome.SCHEDULED
    assert Case.objects.get().claimed_by is None


# A claim binds.


def test_a_case_that_a_colleague_has_claimed_is_taken_over_before_it_is_decided(
    submitted: Draft, agent: Any, as_agent: Client, as_colleague: Client
) -> None:
    version = page_version(as_colleague, submitted, "ruling/")
    claims.claim([submitted.application.pk], by=agent)
    case = case_page(as_colleague, submitted)
    assert case.all("input", name="decision") == []
    assert "Mira Okafor has claimed this case." in case.one("section", aria_labelledby="decide").text
    typed = {"sight": version, "decision": "return", "text": "Look again"}
    refused = as_colleague.post(path(submitted, "ruling/"), typed)
    assert refused.status_code == 409
    markup = sound(refused)
    assert "Mira Okafor has claimed this case. Take it over before you decide." in markup.one("main").text
    assert markup.one("textarea").text.strip() == "Look again", "nothing typed is lost"
    links = [one.attributes["href"] for one in markup.all("a") if one.text == "Take over this case"]
    assert links == [f"{path(submitted)}#claim"]
    assert not ReviewDecision.objects.exists()

    elsewhere = {"from": str(submitted.application.owner_id), "takeover_reason": "Away"}
    html = as_colleague.post(path(submitted, "claim/"), elsewhere, follow=True).content.decode()
    assert "Mira Okafor has already claimed this case." in html
    assert Case.objects.get().claimed_by == agent, "only the agent whom the page named loses it"
    claim = {"from": str(agent.pk)}
    as_colleague.post(path(submitted, "claim/"), claim)
    assert Case.objects.get().claimed_by == agent, "a reason is needed"
    as_colleague.post(path(submitted, "claim/"), claim | {"takeover_reason": "Mira is ill"})
    [letter] = Email.objects.filter(kind="case_taken_over")
    assert letter.to == agent.email
    assert "Dev Ramanathan has taken over the case of Larkfield Holdings" in letter.text
    assert f"/desk/{submitted.application.reference}/" in letter.text
    assert "ill" not in letter.text.split(), "the reason stays at the desk"
    assert "Taken over from Mira Okafor: Mira is ill" in case_page(as_agent, submitted).one("main").text
    assert post(as_colleague, submitted, decision="return", text="Look again").status_code == 302


def test_a_claim_that_has_ended_binds_nobody(submitted: Draft, agent: Any, as_colleague: Client, settings: Any) -> None:
    claims.claim([submitted.application.pk], by=agent)
    settings.CLAIM_HOURS = 0
    assert post(as_colleague, submitted, decision="return", text="Look again").status_code == 302


def test_a_case_that_waits_for_payment_is_not_taken_over_to_decide(
    submitted: Draft, agent: Any, as_agent: Client, as_colleague: Client
) -> None:
    factories.accept_everything(submitted, agent)
    assert decided(as_agent, submitted, "approve").status_code == 302
    assert "take it over" in case_page(as_colleague, submitted).one("section", aria_labelledby="decide").text
    services.set_payment_due(factories.again(submitted), is_due=True)
    assert "take it over" not in case_page(as_colleague, submitted).one("section", aria_labelledby="decide").text
