"""Deciding on a case's page: what stops it, what it says then, and where one goes on. Nothing typed is ever lost."""

from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.contract.lifecycle import State
from formation_portal.desk.decisions.pages import decided_message
from formation_portal.relay.models import Delivery, DeliveryState
from formation_portal.reviews.checklist import Checklist, load_checklist
from formation_portal.reviews.decisions import RETURN
from formation_portal.reviews.models import DecisionOutcome, DeclineReason, ReviewDecision
from formation_portal.reviews.queries import draft_query, write_note
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target
from formation_portal.reviews.transactions import current_version
from tests import factories
from tests.desk.decision_setup import REGISTERED, case_page, decided, page_version, path, sound, state, take_over
from tests.desk.factories import page_after_post, searched, submitted_ones
from tests.encrypted_rows import update_each
from tests.markup import Markup
from tests.relay.conftest import row
from tests.reviews.deciding import decide, let_decisions_take_effect

pytestmark = pytest.mark.django_db(databases=["default", "service"])

BIRTH = Target.of_field("ada", "person.date_of_birth")


def ask_for_birth(draft: Draft, by: Any, text: str = "The passport says 1984") -> None:
    draft_query(draft, BIRTH, text=text, by=by, version=current_version(draft.application))


def test_what_is_not_checked_cannot_be_approved_and_the_page_leads_to_it(submitted: Draft, as_agent: Client) -> None:
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


def test_an_approval_that_is_posted_all_the_same_says_what_is_open(submitted: Draft, as_agent: Client) -> None:
    response = decided(as_agent, submitted, "approve", text="Well done")
    assert response.status_code == 422
    markup = sound(response)
    assert "Not approved" in markup.one("main").text
    assert "Funds: not checked" in markup.one("main").text
    assert markup.one("textarea", id="ruling-text").text.strip() == "Well done"
    assert state(submitted) == State.SUBMITTED_FOR_REVIEW


def test_what_is_checked_is_approved_and_leads_to_the_queue(submitted: Draft, agent: Any, as_agent: Client) -> None:
    factories.accept_everything(submitted, agent)
    response = decided(as_agent, submitted, "approve", shown="?view=overdue")
    assert (response.status_code, response["Location"]) == (302, "/desk/?view=overdue")
    assert state(submitted) == State.SUBMITTED_TO_CSP
    queue = sound(as_agent.get("/desk/?view=overdue"))
    assert "Larkfield Holdings is approved for the registry." in queue.one("main").text
    assert f"{path(submitted)}?from=%3Fview%3Doverdue" in [one.attributes.get("href") for one in queue.all("a")]


def test_what_a_colleague_writes_while_the_page_is_read_is_newer_than_the_page(
    submitted: Draft, agent: Any, colleague: Any, as_agent: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    factories.accept_everything(submitted, agent)

    def read_and_then_queried(draft: Draft) -> Checklist:
        read = load_checklist(draft)
        ask_for_birth(draft, colleague)
        return read

    monkeypatch.setattr("formation_portal.desk.decisions.pages.load_checklist", read_and_then_queried)
    version = page_version(as_agent, submitted, "ruling/")
    monkeypatch.undo()
    response = as_agent.post(path(submitted, "ruling/"), {"sight": version, "decision": RETURN, "text": "Please look"})
    assert response.status_code == 409
    assert "drafted a query" in sound(response).one("main").text
    assert state(submitted) == State.IN_REVIEW


def test_from_an_approval_to_the_next_case_is_one_press(
    submitted: Draft, owner: Any, other_customer: Any, agent: Any, as_agent: Client
) -> None:
    factories.accept_everything(submitted, agent)
    submitted_ones(owner, 1, first_days=3)
    [fitting] = submitted_ones(other_customer, 1)
    shown = {"shown": searched(as_agent, "?q=fremd")}
    # The button says what it does, whatever is chosen above it.
    response = decided(as_agent, submitted, "return", at_once="1", **shown)
    assert response["Location"] == f"/desk/{fitting.reference}/?{urlencode({'from': shown['shown']})}"
    assert state(submitted) == State.SUBMITTED_TO_CSP
    html = as_agent.get(response["Location"]).content.decode()
    assert "is approved for the registry." in html
    assert "Claimed by you on" in html


def test_without_a_next_case_one_is_told_so(submitted: Draft, as_agent: Client) -> None:
    response = decided(as_agent, submitted, "return", text="Look again", then="next")
    assert response["Location"] == "/desk/"
    main = sound(as_agent.get("/desk/")).one("main").text
    assert "Larkfield Holdings is returned to Ingrid Solheim." in main
    assert "No unassigned cases match." in main


def test_what_was_prepared_is_chosen(submitted: Draft, agent: Any, as_agent: Client) -> None:
    def chosen() -> list[str]:
        boxes = case_page(as_agent, submitted).all("input", name="decision")
        return [str(one.attributes["value"]) for one in boxes if "checked" in one.attributes]

    assert chosen() == []
    factories.accept_everything(submitted, agent)
    assert chosen() == ["approve"]
    draft_query(
        submitted, WHOLE_APPLICATION, text="One thing", by=agent, version=current_version(submitted.application)
    )
    assert chosen() == ["return"]


def test_a_return_lists_what_goes_out_and_can_be_sent_with_a_word(
    submitted: Draft, agent: Any, as_agent: Client
) -> None:
    ask_for_birth(submitted, agent)
    text = case_page(as_agent, submitted).one("details", class_="disclosure drafted").text
    for word in ("See what Ingrid Solheim will read (1)", "Ada Lovelace, Date of birth", "The passport says 1984"):
        assert word in text
    decided(as_agent, submitted, "return", text="One thing is left")
    kept = ReviewDecision.objects.get()
    assert (kept.kind, kept.text, kept.outcome) == ("return", "One thing is left", DecisionOutcome.DONE)
    assert state(submitted) == State.RETURNED_FOR_CHANGES


def test_a_decline_says_all_that_is_wrong_at_once(submitted: Draft, as_agent: Client) -> None:
    markup = sound(decided(as_agent, submitted, "decline"))
    links = [one for one in markup.all("a") if any(up.attributes.get("role") == "alert" for up in one.ancestors)]
    assert [one.attributes["href"] for one in links] == ["#ruling-reason", "#ruling-text"]
    assert markup.one("p", id="ruling-reason-error").text
    assert markup.one("p", id="ruling-text-error").text


def test_a_decline_takes_a_reason_and_words(submitted: Draft, as_agent: Client) -> None:
    for typed, subpage in (
        ({"text": "We can't"}, "ruling-reason"),
        ({"text": "We can't", "reason": "because"}, "ruling-reason"),
        ({"reason": "funds"}, "ruling-text"),
        ({"reason": "funds", "text": "x" * 2001}, "ruling-text"),
    ):
        response = decided(as_agent, submitted, "decline", **typed)
        assert response.status_code == 422, typed
        markup = sound(response)
        [link] = [one for one in markup.all("a") if any(up.attributes.get("role") == "alert" for up in one.ancestors)]
        assert link.attributes["href"] == f"#{subpage}"
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


@pytest.mark.parametrize("transition", ["", "begin_review", "record_incorporation"])
def test_what_is_no_decision_here_is_refused(submitted: Draft, as_agent: Client, transition: str) -> None:
    response = decided(as_agent, submitted, transition, text="Words")
    assert response.status_code in (409, 422)
    assert "Words" in sound(response).one("main").text
    assert state(submitted) == State.SUBMITTED_FOR_REVIEW


def test_the_incorporation_is_recorded_where_it_is_with_the_registry(
    submitted: Draft, agent: Any, as_agent: Client, as_owner: Client
) -> None:
    factories.accept_everything(submitted, agent)
    decided(as_agent, submitted, "approve")
    markup = case_page(as_agent, submitted)
    assert markup.one("input", name="decision").attributes["value"] == "record_incorporation"
    decided(as_agent, submitted, "record_incorporation", text="All is well", **REGISTERED)
    assert state(submitted) == State.INCORPORATED
    markup = case_page(as_agent, submitted)
    assert markup.all("input", name="decision") == []
    words = "Registration number HRB 1234, registered on 20 November 2026"
    assert words in markup.one("main").text
    answer = as_owner.get(f"/applications/{submitted.application.reference}/status/")
    status = answer.content.decode().replace("\u00a0", " ")
    assert "HRB 1234" in status
    assert "20 November 2026" in status


@pytest.mark.parametrize(
    ("typed", "wrong"),
    [
        ({}, ["ruling-register_number", "ruling-registered_on", "ruling-confirmed"]),
        ({"confirmed": "1"}, ["ruling-register_number", "ruling-registered_on"]),
        (REGISTERED | {"registered_on": "2999-01-01"}, ["ruling-registered_on"]),
        (REGISTERED | {"registered_on": "0026-11-20"}, ["ruling-registered_on"]),
        (REGISTERED | {"registered_on": "31.2.2026"}, ["ruling-registered_on"]),
        (REGISTERED | {"register_number": "1" * 81}, ["ruling-register_number"]),
        (REGISTERED | {"register_number": "1\u202e2"}, ["ruling-register_number"]),
        ({"register_number": "HRB 1", "registered_on": "2026-11-20"}, ["ruling-confirmed"]),
    ],
)
def test_an_incorporation_asks_for_number_and_date_and_to_confirm(
    submitted: Draft, agent: Any, as_agent: Client, typed: dict[str, str], wrong: list[str]
) -> None:
    factories.accept_everything(submitted, agent)
    decided(as_agent, submitted, "approve")
    response = decided(as_agent, submitted, "record_incorporation", **typed)
    assert response.status_code == 422
    markup = sound(response)
    links = [one for one in markup.all("a") if any(up.attributes.get("role") == "alert" for up in one.ancestors)]
    assert [one.attributes["href"] for one in links] == [f"#{one}" for one in wrong]
    invalid = {one.attributes["id"]: one for one in markup.elements if "aria-invalid" in one.attributes}
    assert list(invalid) == wrong
    for name, control in invalid.items():
        assert f"{name}-error" in control.attributes["aria-describedby"].split()
    assert markup.one("input", id="ruling-register_number").attributes["value"] == typed.get("register_number", "")
    assert state(submitted) == State.SUBMITTED_TO_CSP


def test_who_is_overtaken_reads_what_others_did_above_what_was_typed(
    submitted: Draft, agent: Any, colleague: Any, as_agent: Client
) -> None:
    version = page_version(as_agent, submitted)
    ask_for_birth(submitted, colleague)
    take_over(submitted, agent)
    typed = {"decision": "decline", "reason": "funds", "text": "We can't take it", "certain": "1"}
    late = as_agent.post(path(submitted, "ruling/"), typed | {"sight": version})
    assert late.status_code == 409
    markup = sound(late)
    assert "Dev Ramanathan drafted a query about Date of birth: The passport says 1984" in markup.one("main").text
    assert markup.one("textarea", id="ruling-text").text.strip() == "We can't take it"
    assert "checked" in markup.one("input", name="decision", value="decline").attributes
    assert state(submitted) != State.REJECTED
    fresh = str(markup.all("input", name="sight")[0].attributes["value"])
    assert as_agent.post(path(submitted, "ruling/"), typed | {"sight": fresh}).status_code == 302
    let_decisions_take_effect()
    assert state(submitted) == State.REJECTED


def test_of_two_agents_one_decides_and_the_other_is_told(
    submitted: Draft, as_agent: Client, as_colleague: Client
) -> None:
    first, second = page_version(as_agent, submitted), page_version(as_colleague, submitted)
    as_agent.post(path(submitted, "ruling/"), {"sight": first, "decision": "return", "text": "Look again"})
    late = as_colleague.post(path(submitted, "ruling/"), {"sight": second, "decision": "return", "text": "Mine, too"})
    assert late.status_code == 409
    text = sound(late).one("main").text
    assert "Mira Okafor: recorded the return" in text
    assert "Mine, too" in text
    assert ReviewDecision.objects.count() == 1


def test_a_decision_on_what_was_withdrawn_says_so_and_keeps_the_words(
    submitted: Draft, owner: Any, as_agent: Client
) -> None:
    version = page_version(as_agent, submitted)
    services.withdraw(submitted, by=owner)
    late = as_agent.post(path(submitted, "ruling/"), {"sight": version, "decision": "return", "text": "Look again"})
    assert late.status_code == 409
    markup = sound(late)
    assert "Withdrawn" in markup.one("main").text
    assert markup.one("textarea").text.strip() == "Look again"
    assert "readonly" in markup.one("textarea").attributes
    assert "nothing to decide" in as_agent.get(path(submitted, "ruling/")).content.decode()


def test_what_the_service_has_refused_stops_an_approval(submitted: Draft, agent: Any, as_agent: Client) -> None:
    factories.accept_everything(submitted, agent)
    refused = {"field": "person.date_of_birth", "code": "x", "message": "Not a date of ours", "party": "ada"}
    party = row("party", "ada")
    update_each(Delivery.objects.filter(pk=party.pk), state=DeliveryState.REFUSED, problems=[refused])
    words = "Ada Lovelace, Not accepted by the formation service: Not a date of ours"
    assert words in case_page(as_agent, submitted).one("main").text
    response = decided(as_agent, submitted, "approve")
    assert response.status_code == 422
    assert words in sound(response).one("main").text
    update_each(Delivery.objects.filter(pk=party.pk), state=DeliveryState.DONE, problems=[])
    assert decided(as_agent, submitted, "approve").status_code == 302


def test_what_is_held_at_the_service_is_said_and_stops_nothing(submitted: Draft, agent: Any, as_agent: Client) -> None:
    factories.accept_everything(submitted, agent)
    Delivery.objects.filter(pk=row("party", "ada").pk).update(state=DeliveryState.HELD)
    assert (
        "formation service still need our attention: Ada Lovelace." in case_page(as_agent, submitted).one("main").text
    )
    assert decided(as_agent, submitted, "approve").status_code == 302


def test_an_agents_transition_that_the_service_refused_stops_nothing(
    submitted: Draft, agent: Any, as_agent: Client
) -> None:
    factories.accept_everything(submitted, agent)
    transition = {"application": submitted.application, "kind": "status", "subject": "1"}
    Delivery.objects.update_or_create(**transition, defaults={"state": DeliveryState.REFUSED, "problems": []})
    assert "All checks done" in case_page(as_agent, submitted).one("main").text


def test_the_form_costs_the_same_however_much_is_against_it(
    submitted: Draft, agent: Any, colleague: Any, as_agent: Client
) -> None:
    as_agent.get(path(submitted, "ruling/"))
    with CaptureQueriesContext(connection) as few:
        as_agent.get(path(submitted, "ruling/"))
    for by, text in ((agent, "one"), (colleague, "two")):
        if by == colleague:
            take_over(submitted, colleague)
        decide(submitted, RETURN, text=text, by=by, version=current_version(submitted.application))
        services.submit(submitted, by=submitted.application.owner)
        ask_for_birth(submitted, by)
        write_note(submitted, WHOLE_APPLICATION, text="Known to us", by=by)
    take_over(submitted, agent)
    with CaptureQueriesContext(connection) as many:
        as_agent.get(path(submitted, "ruling/"))
    assert len(many) == len(few)
    # Read once, for how far they have come and for what stands against an approval.
    assert sum('FROM "relay_delivery"' in one["sql"] for one in many) == 1


def test_no_customer_reads_why_it_was_declined_for_us(submitted: Draft, as_agent: Client, as_owner: Client) -> None:
    decided(as_agent, submitted, "decline", reason="sanctions", text="We can't take it")
    for subpage in ("status/", "check/", "record.json"):
        html = as_owner.get(f"/applications/{submitted.application.reference}/{subpage}", follow=True).content.decode()
        for word in ("sanction", "Okafor"):
            assert word not in html


def test_the_way_back_and_the_next_case_keep_the_filters(
    submitted: Draft, other_customer: Any, as_agent: Client
) -> None:
    [other] = submitted_ones(other_customer, 1, first_days=9)
    shown = searched(as_agent, "?view=unclaimed&q=larkfield")
    queue = sound(as_agent.get(f"/desk/{shown}"))
    [link] = [one.attributes["href"] for one in queue.all("a") if one.text == "Larkfield Holdings"]
    markup = sound(as_agent.get(link))
    assert markup.one("a", class_="back").attributes["href"] == f"/desk/{shown}"
    assert {one.attributes["value"] for one in markup.all("input", name="shown")} == {shown}
    assert "No unassigned cases match." in page_after_post(as_agent, "/desk/next-case/", {"shown": "?q=nobody"})
    assert as_agent.post("/desk/next-case/", {"shown": shown})["Location"] == link
    assert as_agent.post(path(submitted, "release/"), {"shown": shown})["Location"] == link
    assert other.reference not in link


def test_a_case_that_is_opened_from_elsewhere_keeps_nothing_that_it_cannot_read(
    submitted: Draft, as_agent: Client
) -> None:
    markup = sound(as_agent.get(path(submitted) + "?from=https%3A%2F%2Felsewhere.example%2F%3Fview%3D1"))
    assert markup.one("a", class_="back").attributes["href"] == "/desk/"


@pytest.mark.parametrize(
    ("decision", "outcome", "words"),
    [
        ("approve", "done", "is approved for the registry."),
        ("approve", "waiting", "is awaiting second approval."),
        ("approve", "scheduled", "is approved for the registry. This takes effect in 10 seconds."),
        ("return", "done", "is returned to Ingrid Solheim."),
        ("decline", "done", "is declined."),
        ("decline", "waiting", "will be declined once a second agent confirms."),
        ("decline", "scheduled", "is declined. This takes effect in 10 seconds."),
        ("record_incorporation", "done", "is recorded as incorporated."),
    ],
)
def test_what_came_of_deciding_is_said(submitted: Draft, decision: str, outcome: str, words: str) -> None:
    decision = ReviewDecision(application=submitted.application, kind=decision, outcome=outcome)
    assert decided_message(decision) == words


def test_the_page_of_a_decision_is_headed_by_the_company(submitted: Draft, as_agent: Client) -> None:
    assert sound(as_agent.get(path(submitted, "ruling/"))).one("h1").text == "Larkfield Holdings"
