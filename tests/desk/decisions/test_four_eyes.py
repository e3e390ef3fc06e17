"""With four eyes a second agent confirms or refuses what the first one has decided, and nobody confirms their own."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from formation_portal.accounts.models import Right
from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.contract.lifecycle import State
from formation_portal.desk.models import Case
from formation_portal.desk.queue import claims
from formation_portal.mail.models import Email
from formation_portal.reviews.models import ReviewDecision
from formation_portal.reviews.queries import write_note
from formation_portal.reviews.targets import WHOLE_APPLICATION
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
    form = {"sight": page_version(client, draft, "ruling/"), "unseen": documents_of(draft)}
    response = client.post(path(draft, f"ruling/{action}/"), form | POINTER | typed)
    let_decisions_take_effect()
    return response


def actions(client: Client, draft: Draft) -> set[str]:
    forms = [one.attributes.get("action", "") for one in case_page(client, draft).all("form", method="post")]
    return {one.removeprefix(path(draft, "ruling/")) for one in forms if "/ruling/" in one}


def waiting(client: Client) -> str:
    """How many the queue says that there are to confirm."""
    return next(one.text for one in page(client).all("a") if one.text.startswith("To confirm")).split()[-1]


def test_an_approval_waits_for_a_colleague(proposed: Draft, owner: Any, as_agent: Client, as_colleague: Client) -> None:
    submitted_ones(owner, 2)
    assert Case.objects.get(pk=proposed.application.pk).confirm_since == proposed.application.submitted_at
    assert state(proposed) == State.IN_REVIEW
    assert "is awaiting second approval." in as_agent.get("/desk/").content.decode()
    mine, theirs = (case_page(client, proposed).one("main").text for client in (as_agent, as_colleague))
    assert "Proposed by you on" in mine
    assert "Proposed by Mira Okafor on" in theirs
    assert actions(as_agent, proposed) == {"", "retraction/"}
    assert actions(as_colleague, proposed) == {"confirmation/", "refusal/"}
    assert references(as_colleague, "?view=confirm") == [proposed.application.reference]
    assert "Awaiting second agent" in [status.text for status in page(as_colleague).all("span", class_="status")]
    for action in ("confirmation", "refusal"):
        response = sound(post(as_agent, proposed, action, why="So"), 422)
        assert "You proposed this, so a second agent has to confirm it." in response.one("main").text
    assert (state(proposed), waiting(as_colleague)) == (State.IN_REVIEW, "1")
    response = post(as_colleague, proposed, "confirmation", shown="?view=confirm")
    assert response["Location"] == "/desk/?view=confirm"
    assert state(proposed) == State.SUBMITTED_TO_CSP
    assert (references(as_colleague, "?view=confirm"), waiting(as_colleague)) == ([], "0")
    text = case_page(as_colleague, proposed).one("main").text
    assert "Approval by Mira Okafor, confirmed by Dev Ramanathan" in text
    decided(as_agent, proposed, "record_incorporation", **REGISTERED)
    assert state(proposed) == State.INCORPORATED, "that waits for nobody"


def test_what_is_refused_with_a_word_goes_back_to_who_proposed_it_and_they_are_told(
    proposed: Draft, agent: Any, colleague: Any, as_agent: Client, as_colleague: Client
) -> None:
    claims.take_over(Case.objects.get(), by=colleague, reason="To confirm it")
    without = sound(post(as_colleague, proposed, "refusal", why=" "), 422)
    assert "Enter a reason." in without.one("p", id="ruling-why-error").text
    assert post(as_colleague, proposed, "refusal", why="Look at the funds")["Location"] == path(proposed)
    case = Case.objects.get()
    assert (case.claimed_by, case.is_claimed, case.confirm_since, case.proposed_by) == (agent, True, None, None)
    assert references(as_agent, "?view=mine") == [proposed.application.reference]
    assert "Decision not confirmed" in page(as_agent, "?view=mine").one("main").text
    text = case_page(as_agent, proposed).one("main").text
    assert "Approval proposed by Mira Okafor, not confirmed by Dev Ramanathan" in text
    assert "Look at the funds" in text
    [letter] = Email.objects.filter(kind="proposal_refused")
    assert letter.to == agent.email
    assert path(proposed) in letter.text
    assert "funds" not in letter.text, "the reason stays at the desk"
    decided(as_agent, proposed, "approve")
    assert Case.objects.get().refused_at is None


def test_its_proposer_takes_it_back(proposed: Draft, colleague: Any, as_agent: Client, as_colleague: Client) -> None:
    assert (references(as_agent, "?view=confirm"), waiting(as_agent)) == ([], "0")
    assert references(as_agent) == [proposed.application.reference]
    assert post(as_colleague, proposed, "retraction").status_code == 422
    assert post(as_agent, proposed, "retraction")["Location"] == path(proposed)
    assert ReviewDecision.objects.get().is_taken_back
    assert "Approval proposed and withdrawn by Mira Okafor" in case_page(as_agent, proposed).one("main").text
    case = Case.objects.get()
    assert (case.refused_at, case.confirm_since, case.proposed_by) == (None, None, None)
    assert not Email.objects.filter(kind="proposal_refused").exists()
    take_over(proposed, colleague)
    decided(as_colleague, proposed, "approve")
    assert (references(as_agent, "?view=confirm"), waiting(as_agent)) == ([proposed.application.reference], "1")
    assert references(as_colleague, "?view=confirm") == []


def test_a_decline_waits_with_its_reason_and_words(submitted: Draft, as_agent: Client, as_colleague: Client) -> None:
    decided(as_agent, submitted, "decline", reason="funds", text="We can't take it")
    assert state(submitted) == State.IN_REVIEW
    text = case_page(as_colleague, submitted).one("main").text
    for words in ("Decline: awaiting", "Source of funds unclear.", "We can't take it"):
        assert words in text
    assert "confirmation/" in actions(as_colleague, submitted), "what stands against an approval is in its way alone"
    post(as_colleague, submitted, "confirmation")
    assert state(submitted) == State.REJECTED


def test_who_is_overtaken_is_told_and_their_word_is_kept(proposed: Draft, agent: Any, as_colleague: Client) -> None:
    version = page_version(as_colleague, proposed, "ruling/")
    write_note(proposed, WHOLE_APPLICATION, text="Known to us", by=agent)
    markup = sound(as_colleague.post(path(proposed, "ruling/refusal/"), {"sight": version, "why": "Not yet"}), 409)
    assert "Mira Okafor wrote a note: Known to us" in markup.one("main").text
    assert markup.one("textarea", id="ruling-why").text.strip() == "Not yet"


def test_only_what_one_may_do_is_offered(proposed: Draft, colleague: Any, as_colleague: Client) -> None:
    take_over(proposed, colleague)
    for missing, offered in (
        (Right.CONFIRM, {""}),
        (Right.DECIDE, {"confirmation/", "refusal/"}),
        (Right.REVIEW, {"", "confirmation/", "refusal/"}),
    ):
        colleague.set_rights([right for right in Right.values if right != missing])
        assert actions(as_colleague, proposed) == offered
        html = as_colleague.get(path(proposed)).content.decode()
        assert ("open the next case" in html) == (missing != Right.REVIEW)


def test_the_next_case_out_of_it_is_what_a_colleague_has_proposed_until_its_customer_withdraws_it(
    proposed: Draft, owner: Any, agent: Any, colleague: Any, as_agent: Client, as_colleague: Client
) -> None:
    claims.claim([proposed.application.pk], by=agent)
    shown = {"shown": "?view=confirm"}
    assert "No unassigned cases match." in page_after_post(as_agent, "/desk/next-case/", shown)
    assert as_colleague.post("/desk/next-case/", shown)["Location"].startswith(path(proposed))
    assert Case.objects.get().claimed_by == colleague
    assert "No unassigned cases match." in page_after_post(as_colleague, "/desk/next-case/", shown)
    claims.release([proposed.application.pk], by=colleague)
    long_ago = timezone.now() - timedelta(days=90)
    moments = ("overdue_at", "submitted_at", "open_since", "waiting_since", "confirm_since")
    Case.objects.update(**dict.fromkeys(moments, long_ago))
    for query in ("", "?view=overdue"):
        assert "No unassigned cases match." in page_after_post(as_agent, "/desk/next-case/", {"shown": query})
    assert as_colleague.post("/desk/next-case/", {"shown": "?view=overdue"})["Location"].startswith(path(proposed))
    services.withdraw(factories.again(proposed), by=owner)
    assert (Case.objects.get().confirm_since, Case.objects.get().proposed_by) == (None, None)
