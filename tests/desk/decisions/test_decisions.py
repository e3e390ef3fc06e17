"""Deciding on a case's page: what stops it, what it says then, and where one goes on. Nothing typed is ever lost."""

from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.contract.lifecycle import State
from formation_portal.desk.decisions.pages import decided_message
from formation_portal.desk.models import Case
from formation_portal.desk.queue import claims
from formation_portal.mail.models import Email
from formation_portal.relay.models import Delivery, DeliveryState
from formation_portal.reviews.checklist import Checklist, load_checklist
from formation_portal.reviews.decisions import RETURN
from formation_portal.reviews.models import DecisionOutcome, DeclineReason, ReviewDecision
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target
from tests import factories
from tests.desk.decision_setup import (
    POINTER,
    REGISTERED,
    case_page,
    decided,
    documents_of,
    error_links,
    hidden_values,
    page_version,
    path,
    sound,
    state,
    take_over,
)
from tests.desk.factories import searched, submitted_ones
from tests.desk.review_rounds import ask_at
from tests.encrypted_rows import update_each
from tests.markup import Markup
from tests.relay.conftest import row
from tests.reviews.deciding import let_decisions_take_effect

BIRTH = Target.of_field("ada", "person.date_of_birth")


def test_an_approval_that_is_posted_all_the_same_says_what_is_open(submitted: Draft, as_agent: Client) -> None:
    markup = case_page(as_agent, submitted)
    assert "disabled" in markup.one("input", name="decision", value="approve").attributes
    links = {
        one.text: one.attributes["href"]
        for one in markup.all("a")
        if any("blockers" in up.attributes.get("class", "") for up in one.ancestors)
    }
    assert "Funds: not checked" in links
    assert links["Ada Lovelace, Passport: not checked"].startswith(path(submitted, "parties/ada/#fact-"))
    for text, href in links.items():
        page, _, fragment = href.partition("#")
        there = Markup(as_agent.get(page).content.decode())
        [found] = [one for tag in ("h2", "li") for one in there.all(tag, id=fragment)]
        assert page == path(submitted) or text.removeprefix("Ada Lovelace, ").partition(":")[0] in found.text
    # Posted all the same, it says what is open.
    markup = sound(decided(as_agent, submitted, "approve", text="Well done"), 422)
    assert markup.one("h1").text == "Larkfield Holdings"
    assert "Not approved" in markup.one("main").text
    assert "Funds: not checked" in markup.one("main").text
    assert markup.one("textarea", id="ruling-text").text.strip() == "Well done"
    assert state(submitted) == State.SUBMITTED_FOR_REVIEW


def test_what_is_checked_is_approved_and_leads_to_the_queue(reviewed: Draft, as_agent: Client) -> None:
    response = decided(as_agent, reviewed, "approve", shown="?view=overdue")
    assert (response.status_code, response["Location"]) == (302, "/desk/?view=overdue")
    assert state(reviewed) == State.SUBMITTED_TO_CSP
    queue = sound(as_agent.get("/desk/?view=overdue"))
    assert "Larkfield Holdings is approved for the registry." in queue.one("main").text
    assert f"{path(reviewed)}?from=%3Fview%3Doverdue" in [one.attributes.get("href") for one in queue.all("a")]
    elsewhere = case_page(as_agent, reviewed, "?from=https%3A%2F%2Felsewhere.example%2F%3Fview%3D1")
    assert elsewhere.one("a", class_="back").attributes["href"] == "/desk/"


def test_what_a_colleague_writes_while_the_page_is_read_is_newer_than_the_page(
    reviewed: Draft, colleague: Any, as_agent: Client, monkeypatch: pytest.MonkeyPatch
) -> None:

    def read_and_then_queried(draft: Draft) -> Checklist:
        read = load_checklist(draft)
        ask_at(draft, BIRTH, colleague)
        return read

    monkeypatch.setattr("formation_portal.desk.decisions.pages.load_checklist", read_and_then_queried)
    version = page_version(as_agent, reviewed, "ruling/")
    monkeypatch.undo()
    response = as_agent.post(path(reviewed, "ruling/"), {"sight": version, "decision": RETURN, "text": "Please look"})
    assert response.status_code == 409
    assert "drafted a query" in sound(response).one("main").text
    assert state(reviewed) == State.IN_REVIEW


def test_approving_leads_on_to_the_next_case(
    reviewed: Draft, owner: Any, other_customer: Any, as_agent: Client
) -> None:
    submitted_ones(owner, 1, first_days=3)
    [fitting] = submitted_ones(other_customer, 1)
    shown = {"shown": searched(as_agent, "?q=fremd")}
    # The button says what it does, whatever is chosen above it.
    response = decided(as_agent, reviewed, "return", at_once="1", **shown)
    assert response["Location"] == f"/desk/{fitting.reference}/?{urlencode({'from': shown['shown']})}"
    assert state(reviewed) == State.SUBMITTED_TO_CSP
    html = as_agent.get(response["Location"]).content.decode()
    assert "is approved for the registry." in html
    assert "Claimed by you on" in html


def test_what_was_prepared_is_chosen(submitted: Draft, agent: Any, as_agent: Client) -> None:
    def chosen() -> list[str]:
        boxes = case_page(as_agent, submitted).all("input", name="decision")
        return [str(one.attributes["value"]) for one in boxes if "checked" in one.attributes]

    assert chosen() == []
    factories.accept_everything(submitted, agent)
    assert chosen() == ["approve"]
    ask_at(submitted, WHOLE_APPLICATION, agent)
    assert chosen() == ["return"]


def test_a_return_lists_what_goes_out_and_takes_a_text(submitted: Draft, agent: Any, as_agent: Client) -> None:
    ask_at(submitted, BIRTH, agent, "The passport says 1984")
    text = case_page(as_agent, submitted).one("details", class_="disclosure drafted").text
    for word in ("See what Ingrid Solheim will read (1)", "Ada Lovelace, Date of birth", "The passport says 1984"):
        assert word in text
    decided(as_agent, submitted, "return", text="One thing is left")
    kept = ReviewDecision.objects.get()
    assert (kept.kind, kept.text, kept.outcome) == ("return", "One thing is left", DecisionOutcome.DONE)
    assert state(submitted) == State.RETURNED_FOR_CHANGES


def test_a_decline_takes_a_reason_and_words(submitted: Draft, as_agent: Client) -> None:
    for typed, wrong in (
        ({}, ["ruling-reason", "ruling-text"]),
        ({"text": "We can't", "reason": "because"}, ["ruling-reason"]),
        ({"reason": "funds", "text": "x" * 2001}, ["ruling-text"]),
    ):
        markup = sound(decided(as_agent, submitted, "decline", **typed), 422)
        assert error_links(markup) == wrong
        assert all(markup.one("p", id=f"{name}-error").text for name in wrong)
        assert markup.one("textarea", id="ruling-text").text.strip() == typed.get("text", "")
        chosen = [one.attributes["value"] for one in markup.all("option") if "selected" in one.attributes]
        assert chosen == [one for one in (typed.get("reason", ""),) if one in ("", *DeclineReason.values)]
        assert "checked" in markup.one("input", name="decision", value="decline").attributes
    decided(as_agent, submitted, "decline", reason="funds", text="We can't take it")
    kept = ReviewDecision.objects.get()
    assert (kept.reason, kept.text) == (DeclineReason.FUNDS, "We can't take it")
    assert state(submitted) == State.REJECTED
    text = case_page(as_agent, submitted).one("main").text
    assert "Decline by Mira Okafor. Source of funds unclear" in text


def test_what_cannot_be_decided_is_refused_and_keeps_the_words(submitted: Draft, as_agent: Client, owner: Any) -> None:
    for transition in ("", "begin_review", "record_incorporation"):
        response = decided(as_agent, submitted, transition, text="Words")
        assert response.status_code in (409, 422), transition
        assert "Words" in sound(response).one("main").text
    assert state(submitted) == State.SUBMITTED_FOR_REVIEW
    version = page_version(as_agent, submitted)
    services.withdraw(submitted, by=owner)
    late = as_agent.post(path(submitted, "ruling/"), {"sight": version, "decision": "return", "text": "Look again"})
    markup = sound(late, 409)
    assert "Withdrawn" in markup.one("main").text
    assert markup.one("textarea").text.strip() == "Look again"
    assert "readonly" in markup.one("textarea").attributes
    assert "nothing to decide" in as_agent.get(path(submitted, "ruling/")).content.decode()


def test_an_incorporation_takes_number_and_date(reviewed: Draft, as_agent: Client, as_owner: Client) -> None:
    decided(as_agent, reviewed, "approve")
    for typed, wrong in (
        ({}, ["ruling-register_number", "ruling-registered_on", "ruling-confirmed"]),
        (REGISTERED | {"registered_on": "2999-01-01"}, ["ruling-registered_on"]),
        (REGISTERED | {"registered_on": "0026-11-20"}, ["ruling-registered_on"]),
        (REGISTERED | {"registered_on": "31.2.2026"}, ["ruling-registered_on"]),
        (REGISTERED | {"register_number": "1" * 81}, ["ruling-register_number"]),
        (REGISTERED | {"register_number": "1\u202e2"}, ["ruling-register_number"]),
        ({"register_number": "HRB 1", "registered_on": "2026-11-20"}, ["ruling-confirmed"]),
    ):
        markup = sound(decided(as_agent, reviewed, "record_incorporation", **typed), 422)
        assert error_links(markup) == wrong
        invalid = {one.attributes["id"]: one for one in markup.elements if "aria-invalid" in one.attributes}
        assert list(invalid) == wrong
        for name, control in invalid.items():
            assert f"{name}-error" in control.attributes["aria-describedby"].split()
        assert markup.one("input", id="ruling-register_number").attributes["value"] == typed.get("register_number", "")
    assert state(reviewed) == State.SUBMITTED_TO_CSP
    decided(as_agent, reviewed, "record_incorporation", text="All is well", **REGISTERED)
    assert state(reviewed) == State.INCORPORATED
    markup = case_page(as_agent, reviewed)
    assert markup.all("input", name="decision") == []
    assert "Registration number HRB 1234, registered on 20 November 2026" in markup.one("main").text
    status = as_owner.get(f"/applications/{reviewed.application.reference}/status/").content.decode()
    assert "HRB 1234" in status
    assert "20\u00a0November\u00a02026" in status


def test_who_comes_late_reads_what_others_did(submitted: Draft, agent: Any, colleague: Any, as_agent: Client) -> None:
    version = page_version(as_agent, submitted)
    ask_at(submitted, BIRTH, colleague, "The passport says 1984")
    take_over(submitted, agent)
    typed = {"decision": "decline", "reason": "funds", "text": "We can't take it", "certain": "1"}
    markup = sound(as_agent.post(path(submitted, "ruling/"), typed | {"sight": version}), 409)
    assert "Dev Ramanathan drafted a query about Date of birth: The passport says 1984" in markup.one("main").text
    assert markup.one("textarea", id="ruling-text").text.strip() == "We can't take it"
    assert "checked" in markup.one("input", name="decision", value="decline").attributes
    assert state(submitted) != State.REJECTED
    fresh = str(markup.all("input", name="sight")[0].attributes["value"])
    assert as_agent.post(path(submitted, "ruling/"), typed | {"sight": fresh}).status_code == 302
    let_decisions_take_effect()
    assert state(submitted) == State.REJECTED


def test_what_the_service_refused_stops_an_approval_and_what_it_holds_not(reviewed: Draft, as_agent: Client) -> None:
    refused = {"field": "person.date_of_birth", "code": "x", "message": "Not a date of ours", "party": "ada"}
    party = row("party", "ada")
    update_each(Delivery.objects.filter(pk=party.pk), state=DeliveryState.REFUSED, problems=[refused])
    words = "Ada Lovelace, Not accepted by the formation service: Not a date of ours"
    assert words in case_page(as_agent, reviewed).one("main").text
    response = sound(decided(as_agent, reviewed, "approve"), 422)
    assert words in response.one("main").text
    update_each(Delivery.objects.filter(pk=party.pk), state=DeliveryState.HELD, problems=[])
    transition = {"application": reviewed.application, "kind": "status", "subject": "1"}
    Delivery.objects.update_or_create(**transition, defaults={"state": DeliveryState.REFUSED, "problems": []})
    held = "formation service still need our attention: Ada Lovelace."
    assert held in case_page(as_agent, reviewed).one("main").text
    assert decided(as_agent, reviewed, "approve").status_code == 302


@pytest.mark.parametrize(
    ("kind", "outcome", "words"),
    [
        ("approve", "waiting", "is awaiting second approval."),
        ("return", "done", "is returned to Ingrid Solheim."),
        ("decline", "done", "is declined."),
        ("decline", "waiting", "will be declined once a second agent confirms."),
        ("decline", "scheduled", "is declined. This takes effect in 10 seconds."),
        ("record_incorporation", "done", "is recorded as incorporated."),
    ],
)
def test_what_came_of_deciding_is_said(submitted: Draft, kind: str, outcome: str, words: str) -> None:
    decision = ReviewDecision(application=submitted.application, kind=kind, outcome=outcome)
    assert decided_message(decision) == words


DECLINED = {"decision": "decline", "reason": "funds", "text": "We can't take it"}


def post(client: Client, draft: Draft, **typed: Any) -> Any:
    form = {"sight": page_version(client, draft, "ruling/"), "unseen": documents_of(draft)}
    return client.post(path(draft, "ruling/"), form | typed)


def undo_buttons(markup: Markup, draft: Draft) -> list[str]:
    forms = markup.all("form", action=path(draft, "ruling/reversal/"))
    return [one.text.strip() for one in markup.all("button") if any(form in one.ancestors for form in forms)]


def outcome() -> str:
    return ReviewDecision.objects.latest("pk").outcome


def test_the_next_page_and_the_case_offer_to_undo_it(reviewed: Draft, as_agent: Client, as_owner: Client) -> None:
    status = f"/applications/{reviewed.application.reference}/status/"
    before = Markup(as_owner.get(status).content.decode()).one("main").text
    assert post(as_agent, reviewed, decision="approve", **POINTER)["Location"] == "/desk/"
    queue = sound(as_agent.get("/desk/"))
    assert "is approved for the registry. This takes effect in 10 seconds." in queue.one("main").text
    assert undo_buttons(queue, reviewed) == ["Undo"]
    assert undo_buttons(sound(as_agent.get("/desk/")), reviewed) == [], "the message is said once"
    case = case_page(as_agent, reviewed)
    assert "Approval by you" in case.one("main").text
    assert undo_buttons(case, reviewed) == ["Undo the approval"]
    assert case.all("input", name="decision") == []
    assert Markup(as_owner.get(status).content.decode()).one("main").text == before
    response = as_agent.post(path(reviewed, "ruling/reversal/"))
    assert response["Location"] == path(reviewed)
    assert "Your decision has been undone." in case_page(as_agent, reviewed).one("main").text
    assert outcome() == DecisionOutcome.UNDONE
    let_decisions_take_effect()
    assert state(reviewed) == State.IN_REVIEW
    text = case_page(as_agent, reviewed).one("main").text
    assert "Approval by Mira Okafor, undone before it took effect" in text


def test_only_its_agent_undoes_it_until_it_is_done(submitted: Draft, as_agent: Client, as_colleague: Client) -> None:
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
def test_what_no_pointer_pressed_is_asked_about_again(reviewed: Draft, as_agent: Client, form: dict[str, str]) -> None:
    response = post(as_agent, reviewed, **form, certain="")
    assert response.status_code == 200
    assert not ReviewDecision.objects.exists()
    assert "Nothing is decided yet" in sound(response).one("main").text
    again = hidden_values(sound(response), sound(response).one("section", aria_labelledby="certain"))
    assert again["certain"] == ["1"]
    assert sound(response).all("button", autofocus="") == []
    assert as_agent.post(path(reviewed, "ruling/"), again).status_code == 302
    made = ReviewDecision.objects.get()
    assert (made.outcome, made.text) == (DecisionOutcome.SCHEDULED, form.get("text", ""))


def test_a_confirmation_by_keys_is_asked_about_once_more_and_the_next_case_is_another(
    reviewed: Draft, agent: Any, as_agent: Client, as_colleague: Client, settings: Any
) -> None:
    settings.FOUR_EYES = True
    post(as_agent, reviewed, decision="approve", **POINTER)
    claims.release([reviewed.application.pk], by=agent)
    form = {"sight": page_version(as_colleague, reviewed, "ruling/"), "unseen": documents_of(reviewed)}
    response = as_colleague.post(path(reviewed, "ruling/confirmation/"), form)
    assert "Approve this application?" in sound(response).one("main").text
    assert outcome() == DecisionOutcome.WAITING
    again = hidden_values(sound(response), sound(response).one("section", aria_labelledby="certain"))
    confirmed = as_colleague.post(path(reviewed, "ruling/confirmation/"), again | {"then": "next"})
    assert confirmed["Location"] == "/desk/"
    assert outcome() == DecisionOutcome.SCHEDULED
    assert Case.objects.get().claimed_by is None


def test_a_claimed_case_is_first_taken_over(
    submitted: Draft, agent: Any, as_agent: Client, as_colleague: Client
) -> None:
    version = page_version(as_colleague, submitted, "ruling/")
    claims.claim([submitted.application.pk], by=agent)
    case = case_page(as_colleague, submitted)
    assert case.all("input", name="decision") == []
    assert "Mira Okafor has claimed this case." in case.one("section", aria_labelledby="decide").text
    typed = {"sight": version, "decision": "return", "text": "Look again"}
    markup = sound(as_colleague.post(path(submitted, "ruling/"), typed), 409)
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


def test_an_unpaid_case_is_not_taken_over(reviewed: Draft, as_agent: Client, as_colleague: Client) -> None:
    assert decided(as_agent, reviewed, "approve").status_code == 302
    assert "take it over" in case_page(as_colleague, reviewed).one("section", aria_labelledby="decide").text
    services.set_payment_due(factories.again(reviewed), is_due=True)
    assert "take it over" not in case_page(as_colleague, reviewed).one("section", aria_labelledby="decide").text


def test_a_claim_that_has_ended_binds_nobody(submitted: Draft, agent: Any, as_colleague: Client, settings: Any) -> None:
    claims.claim([submitted.application.pk], by=agent)
    settings.CLAIM_HOURS = 0
    assert post(as_colleague, submitted, decision="return", text="Look again").status_code == 302
