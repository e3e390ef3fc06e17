"""A claim says who works on a case. It goes to one agent, ends by itself, and is taken over with a word."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.audit.models import AuditAction, Entry
from formation_portal.contract.lifecycle import State
from formation_portal.desk.models import Case
from formation_portal.desk.queue import claims
from formation_portal.desk.queue.search import next_case_for
from formation_portal.desk.queue_state import QueueState
from formation_portal.reviews.checks import accept
from formation_portal.reviews.queries import draft_query, write_note
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target
from formation_portal.reviews.transactions import current_version
from tests.desk.factories import page, page_after_post, references, searched, submitted_ones

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def holder(application: Application) -> Any:
    return Case.objects.get(pk=application.pk).claimed_by


def test_the_ticked_cases_are_claimed_and_released(owner: Any, agent: Any, as_agent: Client) -> None:
    first, second, third = submitted_ones(owner, 3)
    ticked = {"case": [first.pk, second.pk], "shown": "?view=mine"}
    assert "You have claimed 2 cases." in page_after_post(as_agent, "/desk/claims/", ticked)
    assert references(as_agent, "?view=mine") == [second.reference, first.reference]
    assert "You have released 1 case." in page_after_post(as_agent, "/desk/releases/", {"case": [first.pk, third.pk]})
    assert [holder(one) for one in (first, second, third)] == [None, agent, None]
    said = Entry.objects.filter(action=AuditAction.CLAIM, reference=first.reference).order_by("number")
    assert [json.loads(one.detail)["did"] for one in said] == ["claim", "release"]


def test_an_action_leads_back_to_what_was_shown(owner: Any, as_agent: Client) -> None:
    [case] = submitted_ones(owner, 1)
    shown = searched(as_agent, "?view=unclaimed&q=ingrid&sort=newest")
    response = as_agent.post("/desk/claims/", {"case": case.pk, "shown": shown + "&else=https://elsewhere.example"})
    assert response["Location"] == f"/desk/{shown}"


def test_what_another_has_is_named_and_stays_theirs(
    submitted: Draft, owner: Any, colleague: Any, as_agent: Client
) -> None:
    [free] = submitted_ones(owner, 1)
    claims.claim([submitted.application.pk], by=colleague)
    html = page_after_post(as_agent, "/desk/claims/", {"case": [submitted.application.pk, free.pk]})
    assert "You have claimed 1 case." in html
    assert "Dev Ramanathan has already claimed Larkfield Holdings." in html
    assert holder(submitted.application) == colleague


def test_nothing_ticked_and_nonsense_claim_nothing(owner: Any, as_agent: Client) -> None:
    [closed] = submitted_ones(owner, 1, state=State.WITHDRAWN)
    for case in ([], ["nonsense", "-1", "9" * 30], [closed.pk]):
        assert "Select at least one case." in page_after_post(as_agent, "/desk/claims/", {"case": case})
    assert holder(closed) is None


def test_a_claim_ends_by_itself(owner: Any, agent: Any, colleague: Any, as_agent: Client, settings: Any) -> None:
    settings.CLAIM_HOURS = 2
    kept, ended = submitted_ones(owner, 2)
    claims.claim([kept.pk, ended.pk], by=colleague)
    Case.objects.filter(pk=ended.pk).update(claimed_at=timezone.now() - timedelta(hours=2))
    assert references(as_agent, "?view=unclaimed") == [ended.reference]
    assert references(as_agent, f"?holder={colleague.pk}") == [kept.reference]
    assert "Unassigned" in as_agent.get(f"/desk/{ended.reference}/").content.decode()
    page_after_post(as_agent, "/desk/claims/", {"case": [kept.pk, ended.pk]})
    assert (holder(kept), holder(ended)) == (colleague, agent)


def test_a_case_says_who_works_on_it_and_is_claimed_and_released_there(
    submitted: Draft, agent: Any, as_agent: Client
) -> None:
    address = f"/desk/{submitted.application.reference}/"
    assert "Unassigned" in as_agent.get(address).content.decode()
    assert "Claimed by you on" in page_after_post(as_agent, f"{address}claim/", {})
    assert holder(submitted.application) == agent
    assert "You have released 1 case." in page_after_post(as_agent, f"{address}release/", {})
    assert "None of these were yours." in page_after_post(as_agent, f"{address}release/", {})
    assert as_agent.get(f"{address}claim/")["Location"] == address


def test_a_case_is_taken_over_with_a_word(submitted: Draft, agent: Any, colleague: Any, as_agent: Client) -> None:
    application = submitted.application
    address = f"/desk/{application.reference}/claim/"
    claims.claim([application.pk], by=colleague)
    assert "Dev Ramanathan has already claimed this case." in page_after_post(as_agent, address, {})
    assert "Enter a reason" in page_after_post(as_agent, address, {"from": colleague.pk, "takeover_reason": "  "})
    assert holder(application) == colleague
    html = page_after_post(as_agent, address, {"from": colleague.pk, "takeover_reason": "Dev is away"})
    assert "Taken over from Dev Ramanathan: Dev is away" in html
    assert holder(application) == agent


def test_only_the_agent_whom_the_page_named_loses_a_case(
    submitted: Draft, other_customer: Any, colleague: Any, as_agent: Client
) -> None:
    application = submitted.application
    claims.claim([application.pk], by=colleague)
    html = page_after_post(
        as_agent, f"/desk/{application.reference}/claim/", {"from": other_customer.pk, "takeover_reason": "Away"}
    )
    assert "Dev Ramanathan has already claimed this case." in html
    assert holder(application) == colleague


def test_a_closed_case_is_nobodys(submitted: Draft, owner: Any, agent: Any, as_agent: Client) -> None:
    claims.claim([submitted.application.pk], by=agent)
    services.withdraw(submitted, by=owner)
    assert holder(submitted.application) is None
    html = page_after_post(as_agent, f"/desk/{submitted.application.reference}/claim/", {})
    assert "This case is closed" in html
    assert ">Claim</button>" not in html


def test_next_is_the_longest_waiting_that_fits(owner: Any, agent: Any, other_customer: Any, as_agent: Client) -> None:
    new, old = submitted_ones(owner, 2)
    [fitting] = submitted_ones(other_customer, 1)
    submitted_ones(owner, 1, first_days=9, state=State.RETURNED_FOR_CHANGES)
    search = searched(as_agent, "?view=mine&q=Fremd&sort=newest")
    opened = [
        as_agent.post("/desk/next-case/", {"shown": shown})["Location"] for shown in (search, "?view=overdue", "", "")
    ]
    assert opened == [
        f"/desk/{fitting.reference}/?{urlencode({'from': search})}",
        "/desk/?view=overdue",
        f"/desk/{old.reference}/",
        f"/desk/{new.reference}/",
    ]
    assert {holder(one) for one in (new, old, fitting)} == {agent}
    assert "No unassigned cases match." in page_after_post(as_agent, "/desk/next-case/", {})


def test_next_goes_on_where_another_agent_was_faster(
    owner: Any, agent: Any, colleague: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    second, first = submitted_ones(owner, 2)
    rival = iter([first.pk])
    claim_of = claims._claim_columns

    def overtaken(by: Any) -> Any:
        for pk in rival:
            Case.objects.filter(pk=pk).update(**claim_of(colleague))
        return claim_of(by)

    monkeypatch.setattr(claims, "_claim_columns", overtaken)
    found, _ = next_case_for(agent, QueueState())
    assert found is not None
    assert (found.pk, holder(first), holder(second)) == (second.pk, colleague, agent)


def test_a_draft_cannot_be_claimed(draft: Draft, as_agent: Client) -> None:
    assert as_agent.post(f"/desk/{draft.application.reference}/claim/").status_code == 404


def test_the_queue_says_who_works_on_a_case(owner: Any, colleague: Any, as_agent: Client) -> None:
    [case] = submitted_ones(owner, 1)
    claims.claim([case.pk], by=colleague)
    cells = [" ".join(one.text.split()) for one in page(as_agent).all("td")]
    assert any(cell.startswith("Dev Ramanathan since ") for cell in cells)


@pytest.mark.parametrize("subpage", ["", "status/", "check/", "people/", "documents/", "record.json"])
def test_no_customer_sees_a_claim(
    submitted: Draft, agent: Any, colleague: Any, as_agent: Client, as_owner: Client, subpage: str
) -> None:
    reference = submitted.application.reference
    claims.claim([submitted.application.pk], by=colleague)
    page_after_post(as_agent, f"/desk/{reference}/claim/", {"from": colleague.pk, "takeover_reason": "Canary"})
    response = as_owner.get(f"/applications/{reference}/{subpage}", follow=True)
    assert response.status_code == 200
    for word in ("Canary", agent.last_name, colleague.last_name):
        assert word not in response.content.decode()


@pytest.fixture
def rivals(transactional_db: None, owner: Any, agent: Any, colleague: Any) -> tuple[Any, Any]:
    return agent, colleague


@pytest.mark.django_db(transaction=True, databases=["default", "service"])
def test_of_two_agents_at_once_one_has_each_case_and_both_are_told(owner: Any, rivals: tuple[Any, Any]) -> None:
    cases = {one.pk for one in submitted_ones(owner, 6)}
    ready = Barrier(2)

    def press(by: Any) -> tuple[list[Case], list[Case]]:
        ready.wait()
        try:
            return claims.claim(cases, by=by)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as both:
        claimed = list(both.map(press, rivals))
    won = [{case.pk for case in mine} for mine, _ in claimed]
    lost = [{case.pk for case in others} for _, others in claimed]
    assert won[0] | won[1] == cases
    assert not won[0] & won[1]
    assert lost == won[::-1]
    for (_, others), rival in zip(claimed, reversed(rivals), strict=True):
        assert {case.claimed_by for case in others} <= {rival}


def _accepts(draft: Draft, by: Any) -> None:
    accept(draft, [Target.of_field("ada", "person.date_of_birth")], by=by, version=current_version(draft.application))


def _asks(draft: Draft, by: Any) -> None:
    draft_query(draft, WHOLE_APPLICATION, text="Please look again", by=by, version=current_version(draft.application))


def _notes(draft: Draft, by: Any) -> None:
    write_note(draft, WHOLE_APPLICATION, text="Known to us", by=by)


@pytest.mark.parametrize("work", [_accepts, _asks, _notes])
def test_whoever_works_on_an_unclaimed_case_claims_it(submitted: Draft, agent: Any, colleague: Any, work: Any) -> None:
    work(submitted, agent)
    assert holder(submitted.application) == agent
    assert Application.objects.get(pk=submitted.application.pk).status is State.IN_REVIEW
    assert next_case_for(colleague, QueueState())[0] is None, "it is not handed to anybody else"


@pytest.mark.parametrize("work", [_accepts, _asks, _notes])
def test_work_on_a_colleagues_case_takes_it_from_nobody(
    submitted: Draft, agent: Any, colleague: Any, work: Any
) -> None:
    claims.claim([submitted.application.pk], by=colleague)
    work(submitted, agent)
    assert holder(submitted.application) == colleague


def test_work_after_a_claim_has_ended_claims_it_anew(submitted: Draft, agent: Any, colleague: Any) -> None:
    claims.claim([submitted.application.pk], by=colleague)
    Case.objects.update(claimed_at=timezone.now() - timedelta(days=2))
    _accepts(submitted, agent)
    assert holder(submitted.application) == agent


def test_a_note_on_a_closed_case_claims_nothing(submitted: Draft, owner: Any, agent: Any) -> None:
    services.withdraw(submitted, by=owner)
    _notes(submitted, agent)
    assert holder(submitted.application) is None
