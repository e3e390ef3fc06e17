"""Accepting facts over the web: what a form posts, where it leads back to, and what others did meanwhile."""

from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.desk.case_urls import TargetLinks
from formation_portal.desk.queue_state import QueueState
from formation_portal.reviews.checklist import ACCEPTED, OPEN, QUERIED, Fact, load_checklist
from formation_portal.reviews.checks import accept
from formation_portal.reviews.decisions import RETURN
from formation_portal.reviews.queries import draft_query
from formation_portal.reviews.targets import Target
from formation_portal.reviews.transactions import current_version
from tests import factories
from tests.desk.decision_setup import documents_of
from tests.markup import Markup
from tests.reviews.deciding import decide

pytestmark = pytest.mark.django_db

BIRTH = Target.of_field("ada", "person.date_of_birth")
PASSPORT = Target.of_document("ada", "Passport")


def address(draft: Draft, what: str = "acceptances") -> str:
    return f"/desk/{draft.application.reference}/{what}/"


def seen(draft: Draft) -> str:
    return str(current_version(draft.application))


def fact(draft: Draft, target: Target) -> Fact:
    found = load_checklist(factories.again(draft)).at(target)
    assert found is not None
    return found


def posted(draft: Draft, *targets: Target, **more: Any) -> dict[str, Any]:
    unopened = documents_of(draft)
    return {"place": [str(target) for target in targets], "sight": seen(draft), "unseen": unopened} | more


def test_what_is_ticked_is_accepted_and_the_page_comes_back(submitted: Draft, as_agent: Client) -> None:
    back = f"/desk/{submitted.application.reference}/?document=3#facts"
    answer = as_agent.post(address(submitted), posted(submitted, BIRTH, PASSPORT, back=back))
    assert (answer.status_code, answer["Location"]) == (302, back)
    assert fact(submitted, BIRTH).state == fact(submitted, PASSPORT).state == ACCEPTED
    assert "2 facts accepted." in as_agent.get(back).content.decode()


def test_the_button_for_all_takes_what_the_page_had_left_and_not_what_is_ticked(
    submitted: Draft, as_agent: Client
) -> None:
    as_agent.post(address(submitted), posted(submitted, BIRTH, left=[str(PASSPORT)], all="1"))
    assert (fact(submitted, PASSPORT).state, fact(submitted, BIRTH).state) == (ACCEPTED, OPEN)


def test_without_a_tick_nothing_is_accepted(submitted: Draft, as_agent: Client) -> None:
    answer = as_agent.post(address(submitted), {"place": ["nonsense", "a:b:c"], "sight": seen(submitted)}, follow=True)
    assert "Select what you want to accept." in answer.content.decode()
    assert not any(one.is_done for one in load_checklist(submitted))


@pytest.mark.parametrize(
    "back",
    [
        "https://example.com/desk/{own}/",
        "//example.com/desk/{own}/",
        "/desk/{own}/../",
        "/desk/FP-0000-0000-0000/",
        "/desk/",
        "/applications/",
        "desk/{own}/",
        "/desk/{own}/\n",
        "http://[",
        "",
    ],
)
def test_no_form_leads_out_of_its_case(submitted: Draft, as_agent: Client, back: str) -> None:
    own = submitted.application.reference
    posts = posted(submitted, BIRTH, back=back.format(own=own))
    assert as_agent.post(address(submitted), posts)["Location"] == f"/desk/{own}/"


def test_an_acceptance_is_taken_back(submitted: Draft, as_agent: Client) -> None:
    as_agent.post(address(submitted), posted(submitted, BIRTH))
    answer = as_agent.post(address(submitted, "reopenings"), posted(submitted, BIRTH), follow=True)
    assert "Acceptance undone." in answer.content.decode()
    assert fact(submitted, BIRTH).state == OPEN


def test_what_others_asked_meanwhile_is_shown_and_no_tick_is_lost(
    submitted: Draft, as_agent: Client, colleague: Any
) -> None:
    posts = posted(submitted, BIRTH, PASSPORT)
    draft_query(
        submitted, BIRTH, text="The passport says 1984", by=colleague, version=current_version(submitted.application)
    )
    answer = as_agent.post(address(submitted), posts)
    assert answer.status_code == 409
    markup = Markup(answer.content.decode())
    assert markup.faults == []
    assert "Dev Ramanathan drafted a query about Date of birth: The passport says 1984" in markup.one("main").text
    kept = {one.attributes["value"]: "checked" in one.attributes for one in markup.all("input", name="place")}
    assert kept == {str(BIRTH): False, str(PASSPORT): True}
    assert fact(submitted, PASSPORT).state == OPEN
    [version] = [one.attributes["value"] for one in markup.all("input", name="sight")]
    as_agent.post(address(submitted), posted(submitted, PASSPORT, sight=version))
    assert (fact(submitted, PASSPORT).state, fact(submitted, BIRTH).state) == (ACCEPTED, QUERIED)


def test_an_acceptance_by_somebody_else_is_not_taken_back_unseen(
    submitted: Draft, as_agent: Client, colleague: Any
) -> None:
    posts = posted(submitted, BIRTH)
    accept(submitted, [BIRTH], by=colleague, version=current_version(submitted.application))
    answer = as_agent.post(address(submitted, "reopenings"), posts)
    assert answer.status_code == 409
    assert "Accepted by Dev Ramanathan" in answer.content.decode()
    assert fact(submitted, BIRTH).state == ACCEPTED
    as_agent.post(address(submitted, "reopenings"), posted(submitted, BIRTH))
    assert fact(submitted, BIRTH).state == OPEN


def test_a_question_of_ones_own_is_dropped_or_sent_first(submitted: Draft, as_agent: Client, agent: Any) -> None:
    draft_query(submitted, BIRTH, text="Please look", by=agent, version=current_version(submitted.application))
    answer = as_agent.post(address(submitted), posted(submitted, BIRTH))
    assert answer.status_code == 422
    assert "There is a draft query about Date of birth." in answer.content.decode()


def test_a_page_of_the_round_before_leads_to_the_new_answers_first(
    submitted: Draft, as_agent: Client, colleague: Any, owner: Any
) -> None:
    posts = posted(submitted, BIRTH)
    decide(submitted, RETURN, text="Look at the name", by=colleague, version=current_version(submitted.application))
    services.submit(submitted, by=owner)
    answer = as_agent.post(address(submitted), posts)
    assert answer.status_code == 409
    markup = Markup(answer.content.decode())
    assert markup.all("input", name="place") == []
    assert "The customer has submitted this again." in answer.content.decode()
    assert fact(submitted, BIRTH).state == OPEN


def test_a_case_that_its_customer_took_back_says_so(submitted: Draft, as_agent: Client, owner: Any) -> None:
    posts = posted(submitted, BIRTH)
    services.withdraw(submitted, by=owner)
    answer = as_agent.post(address(submitted), posts)
    assert answer.status_code == 409
    assert "The application is “Withdrawn” and can’t be changed" in answer.content.decode().replace("&#x27;", "’")
    assert fact(submitted, BIRTH).state == OPEN


def test_a_section_that_is_accepted_leads_on_to_the_next_one(submitted: Draft, as_agent: Client) -> None:
    facts = load_checklist(submitted)
    own = facts.of_holder("")
    assert own is not None
    targets, back = [one.target for one in own.facts], f"/desk/{submitted.application.reference}/"
    assert len(targets) > 2
    leads_to = []
    for target in targets:
        answer = as_agent.post(address(submitted), posted(submitted, target, back=f"{back}?changed=0#x", goes_on="1"))
        leads_to.append(answer["Location"])
    links = TargetLinks(submitted, facts, QueueState())
    onwards = [links.at(target).partition("#")[2] for target in targets[1:]]
    assert leads_to == [*(f"{back}?changed=0#{anchor}" for anchor in onwards), f"{back}parties/ada/"]


def test_the_last_section_leads_to_the_decision_once_every_party_is_checked(
    submitted: Draft, as_agent: Client, agent: Any
) -> None:
    holders, back = load_checklist(submitted).holders, f"/desk/{submitted.application.reference}/"
    facts = [fact.target for holder in holders if holder.token for fact in holder.facts]
    accept(submitted, facts, by=agent, version=current_version(submitted.application))
    left = [str(fact.target) for fact in holders[0].facts]
    answer = as_agent.post(address(submitted), posted(submitted, left=left, all="1", back=f"{back}?changed=0"))
    assert answer["Location"] == f"{back}?changed=0#decide"


def test_a_party_that_is_accepted_leads_on_in_the_same_queue_and_the_next_page_says_whose_it_was(
    submitted: Draft, as_agent: Client
) -> None:
    case = f"/desk/{submitted.application.reference}/"
    queue = urlencode({"from": "?view=mine"})
    left = [str(fact.target) for holder in load_checklist(submitted).holders if holder.token for fact in holder.facts]
    answer = as_agent.post(
        address(submitted), posted(submitted, left=left, all="1", back=f"{case}parties/ada/?document=3&{queue}")
    )
    assert answer["Location"] == f"{case}?{queue}#section-the-company"
    markup = Markup(as_agent.get(answer["Location"]).content.decode())
    assert f"Ada Lovelace: {len(left)} facts accepted." in " ".join(markup.one("div", id="messages").text.split())
    [link] = [one for one in markup.all("a", class_="name") if one.inside("div") and one.text == "Ada Lovelace"][:1]
    assert link.attributes["href"] == f"{case}parties/ada/?{queue}"


def test_the_case_accepts_at_once_what_it_shows_and_no_query_is_about(
    submitted: Draft, as_agent: Client, agent: Any
) -> None:
    own = load_checklist(submitted).holders[0]
    about = Target.of_field("funds", "xy.capital")
    draft_query(submitted, about, text="Which bank?", by=agent, version=current_version(submitted.application))
    markup = Markup(as_agent.get(f"/desk/{submitted.application.reference}/").content.decode())
    left = [one.attributes["value"] for one in markup.all("input", name="left")]
    assert left == [str(fact.target) for fact in own.facts if fact.target.holder != "funds"]
    assert f"({len(left)})" in markup.one("button", name="all").text
    as_agent.post(address(submitted), posted(submitted, left=left, all="1"))
    assert "Accept all remaining" not in as_agent.get(f"/desk/{submitted.application.reference}/").content.decode()
