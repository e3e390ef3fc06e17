"""A status that the service decided by itself, before an agent: shown, passed on in their own words, or dismissed."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.contract.lifecycle import State
from formation_portal.desk.models import Case
from formation_portal.mail.models import Email
from formation_portal.reviews.models import ReviewDecision, ServiceStatus
from formation_portal.reviews.service_status import receive_status
from tests import factories
from tests.desk.decision_setup import case_page, hidden_values, path, sound, state
from tests.desk.factories import page as queue_page
from tests.desk.factories import page_after_post
from tests.privacy.stages import findings as audit_findings

NOTE = "The registrar objects to director Ada Lovelace."
WORDS = "Please upload the signed deed."


@pytest.fixture(autouse=True)
def _anchor_of_its_own(settings: Any, tmp_path: Path) -> None:
    """What other tests have committed is in another anchor."""
    settings.AUDIT_ANCHOR = tmp_path / "anchor"


def receives(draft: Draft, status: str = "rejected", **values: Any) -> ServiceStatus:
    reported = ServiceStatus(status=status, note=NOTE, written_by=4, **values)
    with transaction.atomic():
        receive_status(factories.again(draft), reported)
    return reported


@pytest.fixture
def filed(submitted: Draft, agent: Any) -> Draft:
    for name in ("begin_review", "approve"):
        services.advance(submitted, name, by=agent)
    Email.objects.all().delete()
    return submitted


def form_of(client: Client, draft: Draft, action: str = "service-status/") -> dict[str, Any]:
    """What the card's form at the address carries."""
    markup = case_page(client, draft)
    return hidden_values(markup, markup.one("form", action=path(draft, action)))


def pass_on(client: Client, draft: Draft, action: str = "service-status/", **typed: str) -> Any:
    return client.post(path(draft, action), form_of(client, draft, action) | typed)


def dismiss(client: Client, draft: Draft, **typed: str) -> Any:
    return pass_on(client, draft, "service-status/dismissal/", **typed)


def customers_page(client: Client, draft: Draft) -> str:
    return client.get(f"/applications/{draft.application.reference}/status/").content.decode()


def test_the_case_shows_the_services_words_and_the_queue_a_mark(filed: Draft, as_agent: Client) -> None:
    assert "Service reports" not in queue_page(as_agent, "?view=all").one("main").text
    receives(filed, company_number="12-77", incorporated_on=date(2026, 3, 4))
    text = case_page(as_agent, filed).one("main").text
    for words in ("reports “Declined”", NOTE, "12-77", "4 March 2026"):
        assert words in text
    assert "Service reports “Declined”" in queue_page(as_agent).one("main").text, "among what waits for us"
    # One that the portal does not know is shown as it is.
    receives(filed, "on_hold <b>")
    assert "reports “on_hold <b>”" in case_page(as_agent, filed).one("main").text
    assert state(filed) == State.SUBMITTED_TO_CSP
    receives(filed, "incorporated", company_number="2087311", incorporated_on=date(2026, 11, 20))
    assert state(filed) == State.INCORPORATED
    text = " ".join(case_page(as_agent, filed).one("aside", class_="rail").text.split())
    assert "Registration number 2087311. Registered on 20 November 2026." in text


@pytest.mark.parametrize(
    ("status", "decision", "passed_on", "email"),
    [
        ("returned_for_changes", "return", State.RETURNED_FOR_CHANGES, "return"),
        ("rejected", "decline", State.REJECTED, "decision"),
    ],
)
def test_a_return_or_rejection_is_passed_on_in_the_agents_words_alone(
    filed: Draft, as_agent: Client, as_owner: Client, status: str, decision: str, passed_on: State, email: str
) -> None:
    receives(filed, status)
    answer = pass_on(as_agent, filed, decision=decision, text=WORDS)
    assert answer.status_code == 302
    assert state(filed) == passed_on
    page = customers_page(as_owner, filed)
    assert WORDS in page
    assert "registrar" not in page
    assert [(one.kind, one.to) for one in Email.objects.all()] == [(email, "owner@example.com")]
    assert "reports" not in case_page(as_agent, filed).one("main").text
    assert Case.objects.get().service_status == ""
    assert [(one.kind, one.outcome, one.text) for one in ReviewDecision.objects.all()] == [(decision, "done", WORDS)]
    assert audit_findings() == []


def test_what_is_missing_is_named_and_a_dismissal_leaves_all_as_it_is(
    filed: Draft, as_agent: Client, as_owner: Client
) -> None:
    receives(filed)
    for typed, message in (
        ({"decision": "return", "text": " \n"}, "Tell the customer why."),
        ({"decision": "approve", "text": WORDS}, "Select a decision."),
        ({"decision": "decline", "text": "x" * 2_001}, "Use 2,000 characters or fewer."),
    ):
        answer = pass_on(as_agent, filed, **typed)
        page = sound(answer, 422)
        assert message in page.one("main").text
        assert typed["text"].strip() in page.one("textarea", name="text").text
    answer = sound(dismiss(as_agent, filed, reason=""), 422)
    assert "Enter a reason." in answer.one("main").text
    assert state(filed) == State.SUBMITTED_TO_CSP
    assert dismiss(as_agent, filed, reason="A mistake of theirs, says Mr Foss.").status_code == 302
    assert state(filed) == State.SUBMITTED_TO_CSP
    assert "Foss" not in customers_page(as_owner, filed)
    [status] = ServiceStatus.objects.all()
    assert (status.outcome, status.reason) == ("dismissed", "A mistake of theirs, says Mr Foss.")
    receives(filed)
    assert ServiceStatus.objects.count() == 1, "the same again is not put before an agent again"
    assert "reports" not in case_page(as_agent, filed).one("main").text
    assert Case.objects.get().waiting_since is None
    assert Email.objects.count() == 0
    assert audit_findings() == []


def test_what_others_did_meanwhile_is_told(filed: Draft, as_agent: Client, as_colleague: Client) -> None:
    receives(filed)
    address, typed = path(filed, "service-status/"), {"decision": "decline", "text": WORDS}
    form = form_of(as_colleague, filed)
    receives(filed, "on_hold")
    assert as_colleague.post(address, form | typed).status_code == 409, "it is another status"
    form = form_of(as_colleague, filed)
    dismiss(as_agent, filed, reason="Settled by telephone.")
    answer = sound(as_colleague.post(address, form | typed), 409)
    assert "dismissed the formation service’s status" in answer.one("main").text
    receives(filed, "returned_for_changes")
    as_colleague.post(path(filed, "claim/"))
    answer = pass_on(as_agent, filed, **typed)
    assert answer.status_code == 409, "their case is taken over first"
    assert WORDS in answer.content.decode()
    assert state(filed) == State.SUBMITTED_TO_CSP


def test_during_the_review_the_agent_decides_as_usual(submitted: Draft, as_agent: Client) -> None:
    receives(submitted)
    page = case_page(as_agent, submitted)
    assert "Decide about the application below" in page.one("main").text
    assert not [one for one in page.all("form") if one.attributes.get("action", "").endswith("/service-status/")]
    [status] = ServiceStatus.objects.all()
    form = {"number": str(status.pk), "decision": "decline", "text": WORDS}
    assert as_agent.post(path(submitted, "service-status/"), form).status_code == 409
    assert state(submitted) == State.SUBMITTED_FOR_REVIEW


def test_a_case_that_is_not_paid_for_is_only_shown(submitted: Draft, as_agent: Client, colleague: Any) -> None:
    services.set_payment_due(submitted, is_due=True)
    page = case_page(as_agent, submitted)
    assert "waiting for the customer’s payment" in page.one("main").text
    assert not page.all("input", name="decision")
    offered = {button.text for button in page.all("button")}
    assert not [words for words in offered if words.startswith(("Accept", "Claim", "Assign"))]
    queue = queue_page(as_agent, "?view=all")
    assert "Waiting for payment" in queue.one("main").text
    assert not queue.all("input", name="case")
    assert "Waiting for payment" not in queue_page(as_agent).one("main").text, "it does not wait for us"

    number = submitted.application.pk
    as_agent.post("/desk/claims/", {"case": number})
    assert "this case cannot be claimed" in page_after_post(as_agent, path(submitted, "claim/"), {})
    as_agent.post("/desk/assignments/", {"case": number, "agent": colleague.pk})
    as_agent.post("/desk/next-case/")
    decline = {"sight": "1.0", "decision": "decline", "reason": "funds", "text": "No.", "certain": "1"}
    answer = sound(as_agent.post(path(submitted, "ruling/"), decline), 409)
    assert "waiting for the customer’s payment" in answer.one("main").text
    as_agent.post(path(submitted, "notes/"), {"sight": "1.0", "note": "Asked by telephone.", "place": "application::"})
    assert (state(submitted), Case.objects.get().claimed_by) == (State.SUBMITTED_FOR_REVIEW, None)

    services.set_payment_due(factories.again(submitted), is_due=False)
    as_agent.post(path(submitted, "claim/"))
    assert state(submitted) == State.IN_REVIEW
