"""With four eyes a second agent confirms or refuses what the first one has decided, and nobody confirms their own."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from formation_portal.accounts.models import Right
from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.contract.lifecycle import State
from formation_portal.desk.models import Case
from formation_portal.desk.queue import claims
from formation_portal.mail.models import Email
from formation_portal.reviews.models import DecisionOutcome, ReviewDecision
from formation_portal.reviews.queries import draft_query, write_note
from formation_portal.reviews.targets import WHOLE_APPLICATION
from formation_portal.reviews.transactions import current_version
from tests import factories
from tests.desk.decision_setup import (
    POINTER,
    REGISTERED,
    case_page,
    decided,
    documents_of,
    page_version,
    path,
    sound,
    state,
    take_over,
)
from tests.desk.factories import page, page_after_post, references, submitted_ones
from tests.reviews.deciding import let_decisions_take_effect

pytestmark = pytest.mark.django_db(databases=["default", "service"])


@pytest.fixture(autouse=True)
def _four_eyes(settings: Any) -> None:
    settings.FOUR_EYES = True


@pytest.fixture
def proposed(submitted: Draft, agent: Any, as_agent: Client) -> Draft:
    """An approval that the first agent has proposed."""
    factories.accept_everything(submitted, agent)
    assert decided(as_agent, submitted, "approve").status_code == 302
    return submitted


def post(client: Client, draft: Draft, action: str, **typed: str) -> Any:
    """The answer to an action of somebody who has just opened the page, once it has taken effect."""
    form = {"sight": page_version(client, draft, "ruling/"), "unseen": documents_of(draft)}
    response = client.post(path(draft, f"ruling/{action}/"), form | POINTER | typed)
    let_decisions_take_effect()
    return response


def actions(client: Client, draft: Draft) -> set[str]:
    """What the case's page offers about the decision."""
    forms = [one.attributes.get("action", "") for one in case_page(client, draft).all("form", method="post")]
    return {one.removeprefix(path(draft, "ruling/")) for one in forms if "/ruling/" in one}


def waiting(client: Client) -> str:
    """How many the queue says that there are to confirm."""
    return next(one.text for one in page(client).all("a") if one.text.startswith("To confirm")).split()[-1]


def test_an_approval_waits_and_says_so(proposed: Draft, as_agent: Client, as_colleague: Client) -> None:
    assert state(proposed) == State.IN_REVIEW
    assert "is awaiting second approval." in as_agent.get("/desk/").content.decode()
    mine, theirs = (case_page(one, proposed).one("main").text for one in (as_agent, as_colleague))
    assert "Approval: awaiting a second agent" in mine
    assert "Proposed by you on" in mine
    assert "Proposed by Mira Okafor on" in theirs
    assert actions(as_agent, proposed) == {"", "retraction/"}
    assert actions(as_colleague, proposed) == {"confirmation/", "refusal/"}


def test_a_second_agent_confirms_it(proposed: Draft, as_colleague: Client) -> None:
    response = post(as_colleague, proposed, "confirmation", shown="?view=confirm")
    assert response["Location"] == "/desk/?view=confirm"
    assert state(proposed) == State.SUBMITTED_TO_CSP
    assert "is approved for the registry." in as_colleague.get("/desk/").content.decode()
    text = case_page(as_colleague, proposed).one("main").text
    assert "Approval by Mira Okafor, confirmed by Dev Ramanathan" in text


def test_whoever_confirms_opens_the_next_case_by_the_same_press(
    proposed: Draft, owner: Any, as_colleague: Client
) -> None:
    [other] = submitted_ones(owner, 1)
    assert post(as_colleague, proposed, "confirmation", then="next")["Location"] == f"/desk/{other.reference}/"


def test_nobody_confirms_or_refuses_their_own(proposed: Draft, as_agent: Client) -> None:
    for action in ("confirmation", "refusal"):
        response = post(as_agent, proposed, action, why="So")
        assert response.status_code == 422
        assert "You proposed this, so a second agent has to confirm it." in sound(response).one("main").text
    assert state(proposed) == State.IN_REVIEW


def test_a_second_agent_refuses_it_with_a_word_that_no_customer_reads(
    proposed: Draft, as_agent: Client, as_colleague: Client, as_owner: Client
) -> None:
    without = post(as_colleague, proposed, "refusal", why=" ")
    assert without.status_code == 422
    assert "Enter a reason." in sound(without).one("p", id="ruling-why-error").text
    assert post(as_colleague, proposed, "refusal", why="Canary: look at the funds")["Location"] == path(proposed)
    text = case_page(as_agent, proposed).one("main").text
    assert "Approval proposed by Mira Okafor, not confirmed by Dev Ramanathan" in text
    assert "Canary: look at the funds" in text
    assert actions(as_agent, proposed) == {""}
    for subpage in ("status/", "check/", "record.json"):
        reference = proposed.application.reference
        assert "Canary" not in as_owner.get(f"/applications/{reference}/{subpage}", follow=True).content.decode()


def test_what_is_refused_goes_back_to_who_proposed_it_and_they_are_told(
    proposed: Draft, agent: Any, colleague: Any, as_agent: Client, as_colleague: Client
) -> None:
    claims.take_over(Case.objects.get(), by=colleague, reason="To confirm it")
    post(as_colleague, proposed, "refusal", why="Look at the funds")
    case = Case.objects.get()
    assert (case.claimed_by, case.is_claimed) == (agent, True)
    assert references(as_agent, "?view=mine") == [proposed.application.reference]
    assert "Decision not confirmed" in page(as_agent, "?view=mine").one("main").text
    [letter] = Email.objects.filter(kind="proposal_refused")
    assert letter.to == agent.email
    assert f"/desk/{proposed.application.reference}/" in letter.text
    assert "funds" not in letter.text, "the reason stays at the desk"
    decided(as_agent, proposed, "approve")
    assert Case.objects.get().refused_at is None


def test_what_is_taken_back_tells_nobody(proposed: Draft, as_agent: Client) -> None:
    post(as_agent, proposed, "retraction")
    assert not Email.objects.filter(kind="proposal_refused").exists()
    assert Case.objects.get().refused_at is None


def test_who_has_proposed_it_takes_it_back_and_nobody_else_does(
    proposed: Draft, as_agent: Client, as_colleague: Client
) -> None:
    assert post(as_colleague, proposed, "retraction").status_code == 422
    assert post(as_agent, proposed, "retraction")["Location"] == path(proposed)
    assert ReviewDecision.objects.get().is_taken_back
    assert "Approval proposed and withdrawn by Mira Okafor" in case_page(as_agent, proposed).one("main").text


def test_a_decline_waits_with_its_reason_and_words(submitted: Draft, as_agent: Client, as_colleague: Client) -> None:
    decided(as_agent, submitted, "decline", reason="funds", text="We can't take it")
    assert state(submitted) == State.IN_REVIEW
    text = case_page(as_colleague, submitted).one("main").text
    for words in ("Decline: awaiting", "Source of funds unclear.", "We can't take it"):
        assert words in text
    assert "confirmation/" in actions(as_colleague, submitted), "what stands against an approval is in its way alone"
    post(as_colleague, submitted, "confirmation")
    assert state(submitted) == State.REJECTED


def test_nothing_else_is_proposed_meanwhile_but_it_can_be_returned(
    proposed: Draft, colleague: Any, as_colleague: Client
) -> None:
    take_over(proposed, colleague)
    response = decided(as_colleague, proposed, "decline", reason="funds", text="No")
    assert response.status_code == 422
    assert "Another decision is already awaiting a second agent." in sound(response).one("main").text
    decided(as_colleague, proposed, "return", text="Look again")
    assert state(proposed) == State.RETURNED_FOR_CHANGES
    assert ReviewDecision.objects.get(kind="approve").outcome == DecisionOutcome.OVERTAKEN


def test_a_return_and_an_incorporation_wait_for_nobody(proposed: Draft, as_agent: Client, as_colleague: Client) -> None:
    post(as_colleague, proposed, "confirmation")
    decided(as_agent, proposed, "record_incorporation", **REGISTERED)
    assert state(proposed) == State.INCORPORATED


def test_what_came_up_meanwhile_stops_the_confirmation(proposed: Draft, agent: Any, as_colleague: Client) -> None:
    draft_query(proposed, WHOLE_APPLICATION, text="One thing", by=agent, version=current_version(proposed.application))
    assert "confirmation/" not in actions(as_colleague, proposed)
    response = post(as_colleague, proposed, "confirmation")
    assert response.status_code == 422
    assert "The application: open query" in sound(response).one("main").text
    assert state(proposed) == State.IN_REVIEW


def test_who_is_overtaken_is_told_and_their_word_is_kept(proposed: Draft, agent: Any, as_colleague: Client) -> None:
    version = page_version(as_colleague, proposed, "ruling/")
    write_note(proposed, WHOLE_APPLICATION, text="Known to us", by=agent)
    late = as_colleague.post(path(proposed, "ruling/refusal/"), {"sight": version, "why": "Not yet"})
    assert late.status_code == 409
    markup = sound(late)
    assert "Mira Okafor wrote a note: Known to us" in markup.one("main").text
    assert markup.one("textarea", id="ruling-why").text.strip() == "Not yet"


def test_what_was_ended_meanwhile_is_not_confirmed(
    proposed: Draft, owner: Any, as_agent: Client, as_colleague: Client
) -> None:
    version = page_version(as_colleague, proposed, "ruling/")
    post(as_agent, proposed, "retraction")
    late = as_colleague.post(path(proposed, "ruling/confirmation/"), POINTER | {"sight": version})
    assert late.status_code == 409
    assert "withdrew the proposal of the approval" in sound(late).one("main").text
    form = POINTER | {"sight": str(current_version(proposed.application))}
    gone = as_colleague.post(path(proposed, "ruling/confirmation/"), form)
    assert gone.status_code == 422
    assert "There is no longer a decision to confirm." in sound(gone).one("main").text
    services.withdraw(proposed, by=owner)
    assert as_colleague.post(path(proposed, "ruling/confirmation/"), POINTER | {"sight": version}).status_code == 409


@pytest.mark.parametrize(
    ("right", "left"),
    [
        (Right.CONFIRM, {""}),
        (Right.DECIDE, {"confirmation/", "refusal/"}),
        (Right.REVIEW, {"", "confirmation/", "refusal/"}),
    ],
)
def test_only_what_one_may_do_is_offered(
    proposed: Draft, colleague: Any, as_colleague: Client, right: Right, left: set[str]
) -> None:
    take_over(proposed, colleague)
    colleague.set_rights([one for one in Right.values if one != right])
    assert actions(as_colleague, proposed) == left
    html = as_colleague.get(path(proposed)).content.decode()
    assert ("open the next case" in html) == (right != Right.REVIEW)


def test_the_queue_says_what_waits_and_has_a_view_of_it(
    proposed: Draft, owner: Any, as_agent: Client, as_colleague: Client
) -> None:
    submitted_ones(owner, 2)
    assert references(as_colleague, "?view=confirm") == [proposed.application.reference]
    assert waiting(as_colleague) == "1"
    assert "Awaiting second agent" in [one.text for one in page(as_colleague).all("span", class_="status")]
    post(as_colleague, proposed, "confirmation")
    assert references(as_colleague, "?view=confirm") == []
    assert waiting(as_colleague) == "0"


def test_that_view_leaves_out_what_one_has_proposed_oneself(
    proposed: Draft, colleague: Any, as_agent: Client, as_colleague: Client
) -> None:
    assert (references(as_agent, "?view=confirm"), waiting(as_agent)) == ([], "0")
    assert references(as_agent) == [proposed.application.reference]
    post(as_agent, proposed, "retraction")
    take_over(proposed, colleague)
    decided(as_colleague, proposed, "approve")
    assert (references(as_agent, "?view=confirm"), waiting(as_agent)) == ([proposed.application.reference], "1")
    assert references(as_colleague, "?view=confirm") == []


def test_the_next_case_out_of_it_is_what_a_colleague_has_proposed_and_still_holds(
    proposed: Draft, owner: Any, agent: Any, colleague: Any, as_agent: Client, as_colleague: Client
) -> None:
    submitted_ones(owner, 1, first_days=3)
    claims.claim([proposed.application.pk], by=agent)
    shown = {"shown": "?view=confirm"}
    assert "No unassigned cases match." in page_after_post(as_agent, "/desk/next-case/", shown)
    assert as_colleague.post("/desk/next-case/", shown)["Location"].startswith(path(proposed))
    assert Case.objects.get(pk=proposed.application.pk).claimed_by == colleague
    assert "No unassigned cases match." in page_after_post(as_colleague, "/desk/next-case/", shown)


@pytest.mark.parametrize("query", ["", "?view=overdue"])
def test_no_next_case_is_one_that_waits_for_somebody_else(
    proposed: Draft, agent: Any, as_agent: Client, as_colleague: Client, query: str
) -> None:
    claims.release([proposed.application.pk], by=agent)
    long_ago = timezone.now() - timedelta(days=90)
    Case.objects.update(overdue_at=long_ago)
    Case.objects.update(submitted_at=long_ago, open_since=long_ago, waiting_since=long_ago, confirm_since=long_ago)
    assert "No unassigned cases match." in page_after_post(as_agent, "/desk/next-case/", {"shown": query})
    assert as_colleague.post("/desk/next-case/", {"shown": query})["Location"].startswith(path(proposed))


@pytest.mark.parametrize("end", ["retraction", "refusal", "return", "withdraw"])
def test_a_case_leaves_that_view_however_it_ends(
    proposed: Draft, owner: Any, as_agent: Client, as_colleague: Client, end: str
) -> None:
    assert Case.objects.get().confirm_since == proposed.application.submitted_at
    if end == "withdraw":
        services.withdraw(proposed, by=owner)
    elif end == "return":
        decided(as_agent, proposed, "return", text="Look again")
    else:
        post(as_agent if end == "retraction" else as_colleague, proposed, end, why="So")
    assert Case.objects.get().confirm_since is None
    assert Case.objects.get().proposed_by is None


def test_without_four_eyes_the_queue_has_no_such_view(owner: Any, as_agent: Client, settings: Any) -> None:
    assert "To confirm" in as_agent.get("/desk/").content.decode()
    settings.FOUR_EYES = False
    assert "To confirm" not in as_agent.get("/desk/").content.decode()
    assert "To confirm" in as_agent.get("/desk/?view=confirm").content.decode()


def test_the_queue_costs_the_same_with_many_that_wait(owner: Any, as_agent: Client) -> None:
    first, *cases = submitted_ones(owner, 12)
    Case.objects.filter(pk=first.pk).update(confirm_since=first.submitted_at)
    as_agent.get("/desk/?view=confirm")
    with CaptureQueriesContext(connection) as one:
        as_agent.get("/desk/?view=confirm")
    for case in cases:
        Case.objects.filter(pk=case.pk).update(confirm_since=case.submitted_at)
    with CaptureQueriesContext(connection) as many:
        as_agent.get("/desk/?view=confirm")
    assert len(many) == len(one)
    [listing] = [one["sql"] for one in many if "LIMIT 26" in one["sql"]]
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {'QUERY PLAN ' if connection.vendor == 'sqlite' else ''}{listing}")
        plan = " ".join(str(line) for line in cursor.fetchall())
    assert "case_to_confirm" in plan or connection.vendor != "sqlite"
