"""A claim says who works on a case. It goes to one agent, ends by itself, and is taken over with a word."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.utils import timezone

from formation_portal.accounts.models import Right
from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.audit.models import AuditAction, Entry
from formation_portal.contract.lifecycle import State
from formation_portal.desk.models import Case
from formation_portal.desk.queue import claims
from formation_portal.desk.queue.search import next_case_for
from formation_portal.desk.queue_state import QueueState
from formation_portal.reviews.queries import write_note
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target
from tests import factories
from tests.desk.decision_setup import sound
from tests.desk.factories import page, page_after_post, references, searched, submitted_ones
from tests.desk.review_rounds import accept_at, ask_at
from tests.markup import Markup


def holder(application: Application) -> Any:
    return Case.objects.get(pk=application.pk).claimed_by


def state(application: Application) -> str:
    now = Application.objects.get(pk=application.pk).state
    assert Case.objects.get(pk=application.pk).state == now, "the queue says the same"
    return now


def test_the_ticked_cases_are_claimed_and_released(owner: Any, agent: Any, colleague: Any, as_agent: Client) -> None:
    mine, theirs = submitted_ones(owner, 2)
    [returned] = submitted_ones(owner, 1, first_days=2, state=State.RETURNED_FOR_CHANGES)
    [begun] = submitted_ones(owner, 1, first_days=3, state=State.IN_REVIEW)
    cases = (mine, theirs, returned, begun)
    Case.objects.filter(pk=theirs.pk).update(**claims._claim_columns(colleague))
    ticked = {"case": [case.pk for case in cases], "shown": "?view=mine"}
    html = page_after_post(as_agent, "/desk/claims/", ticked)
    assert "You have claimed 3 cases." in html
    assert "Dev Ramanathan has already claimed" in html
    assert references(as_agent, "?view=mine") == [begun.reference, returned.reference, mine.reference]
    assert [state(case) for case in cases] == [
        State.IN_REVIEW,
        State.SUBMITTED_FOR_REVIEW,
        State.RETURNED_FOR_CHANGES,
        State.IN_REVIEW,
    ]
    assert not begun.changes.filter(moved_to=State.IN_REVIEW).exists()
    assert "You have released 1 case." in page_after_post(as_agent, "/desk/releases/", {"case": [mine.pk, theirs.pk]})
    assert [holder(case) for case in cases] == [None, colleague, agent, agent]
    entries = Entry.objects.filter(action=AuditAction.CLAIM, reference=mine.reference).order_by("number")
    assert [json.loads(entry.detail)["did"] for entry in entries] == ["claim", "release"]


def test_an_action_leads_back_to_what_was_shown(owner: Any, as_agent: Client) -> None:
    [case] = submitted_ones(owner, 1)
    shown = searched(as_agent, "?view=unclaimed&q=ingrid&sort=newest")
    response = as_agent.post("/desk/claims/", {"case": case.pk, "shown": shown + "&else=https://elsewhere.example"})
    assert response["Location"] == f"/desk/{shown}"


def test_a_closed_case_is_nobodys(submitted: Draft, owner: Any, agent: Any, colleague: Any, as_agent: Client) -> None:
    closed, address = submitted.application, f"/desk/{submitted.application.reference}/"
    claims.claim([closed.pk], by=agent)
    services.withdraw(submitted, by=owner)
    assert holder(closed) is None
    for case in ([], ["nonsense", "-1", "9" * 30], [closed.pk]):
        assert "Select at least one case." in page_after_post(as_agent, "/desk/claims/", {"case": case})
    html = page_after_post(as_agent, f"{address}claim/", {})
    assert "This case is closed" in html
    assert ">Claim</button>" not in html
    assert "Assign to a colleague" not in html
    posted = {"agent": colleague.pk}
    assert "Select at least one case." in page_after_post(as_agent, "/desk/assignments/", posted)
    posted["case"] = closed.pk
    assert "Only open cases can be assigned." in page_after_post(as_agent, "/desk/assignments/", posted)
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


def test_a_case_is_claimed_on_its_own_page(submitted: Draft, agent: Any, as_agent: Client, as_owner: Client) -> None:
    application, address = submitted.application, f"/desk/{submitted.application.reference}/"
    assert "Unassigned" in as_agent.get(address).content.decode()
    assert "Claimed by you on" in page_after_post(as_agent, f"{address}claim/", {})
    assert (holder(application), state(application)) == (agent, State.IN_REVIEW)
    change = application.changes.get(moved_to=State.IN_REVIEW)
    assert (change.who, change.what) == (agent, "Started the review")
    status = as_owner.get(f"/applications/{application.reference}/status/").content.decode()
    assert "With our reviewer. You don’t need to do anything now." in status
    assert "Okafor" not in status
    assert "You have released 1 case." in page_after_post(as_agent, f"{address}release/", {})
    assert "None of these were yours." in page_after_post(as_agent, f"{address}release/", {})
    assert state(application) == State.IN_REVIEW, "that ends nothing"
    assert as_agent.get(f"{address}claim/")["Location"] == address


def test_next_is_the_longest_waiting_that_fits_also_after_a_rival(
    owner: Any, agent: Any, other_customer: Any, as_agent: Client, colleague: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    assert {(holder(case), state(case)) for case in (new, old, fitting)} == {(agent, State.IN_REVIEW)}
    assert "No unassigned cases match." in page_after_post(as_agent, "/desk/next-case/", {})
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


WORK: dict[str, Callable[[Draft, Any], object]] = {
    "accepts": lambda draft, by: accept_at(draft, Target.of_field("ada", "person.date_of_birth"), by=by),
    "asks": lambda draft, by: ask_at(draft, WHOLE_APPLICATION, by),
    "notes": lambda draft, by: write_note(draft, WHOLE_APPLICATION, text="Known to us", by=by),
}


@pytest.mark.parametrize("work", WORK)
def test_whoever_works_on_an_unclaimed_case_claims_it(submitted: Draft, agent: Any, colleague: Any, work: str) -> None:
    WORK[work](submitted, agent)
    assert holder(submitted.application) == agent
    assert Application.objects.get(pk=submitted.application.pk).status is State.IN_REVIEW
    assert next_case_for(colleague, QueueState())[0] is None, "it is not handed to anybody else"


def test_work_on_a_colleagues_case_claims_nothing(submitted: Draft, owner: Any, agent: Any, colleague: Any) -> None:
    claims.claim([submitted.application.pk], by=colleague)
    for work in ("asks", "notes"):
        WORK[work](submitted, agent)
        assert holder(submitted.application) == colleague
    Case.objects.update(claimed_at=timezone.now() - timedelta(days=2))
    WORK["accepts"](submitted, agent)
    assert holder(submitted.application) == agent
    services.withdraw(factories.again(submitted), by=owner)
    WORK["notes"](submitted, agent)
    assert holder(submitted.application) is None


@pytest.fixture
def third(django_user_model: Any) -> Any:
    return django_user_model.objects.create_user("ana@example.com", first_name="Ana", is_agent=True)


def posted_from(client: Client, address: str, ticked: list[Application]) -> dict[str, Any]:
    markup = Markup(client.get(address).content.decode())
    return {
        "case": [one.pk for one in ticked],
        "held": [one.attributes["value"] for one in markup.all("input", name="held")],
    }


def test_cases_go_to_a_colleague(
    owner: Any, colleague: Any, third: Any, as_agent: Client, as_colleague: Client
) -> None:
    free, theirs, left = submitted_ones(owner, 3)
    claims.claim([theirs.pk], by=third)
    posted = posted_from(as_agent, "/desk/", [free, theirs]) | {"agent": colleague.pk, "shown": "?view=all"}
    answer = as_agent.post("/desk/assignments/", posted)
    assert answer["Location"] == "/desk/?view=all"
    assert "You have assigned 2 cases to Dev Ramanathan." in as_agent.get("/desk/").content.decode()
    assert [holder(one) for one in (free, theirs, left)] == [colleague, colleague, None]
    assert [Application.objects.get(pk=one.pk).status for one in (free, left)] == [
        State.IN_REVIEW,
        State.SUBMITTED_FOR_REVIEW,
    ]
    assert page(as_colleague, "?view=mine").one("tbody").text.count("Assigned to you by Mira Okafor") == 2
    assert "Assigned by Mira Okafor" in page(as_agent, "?view=all").one("tbody").text


def test_history_and_audit_say_who_assigned_it(submitted: Draft, colleague: Any, third: Any, as_agent: Client) -> None:
    application = submitted.application
    address = f"/desk/{application.reference}/"
    claims.claim([application.pk], by=third)
    posted = posted_from(as_agent, address, []) | {"agent": colleague.pk}
    html = page_after_post(as_agent, f"{address}assignment/", posted)
    assert "Assigned by Mira Okafor, taken from Ana" in html
    assert "Assigned the case to Dev Ramanathan" in " ".join(html.split())
    entry = Entry.objects.filter(action=AuditAction.CLAIM).latest("number")
    detail = json.loads(entry.detail)
    assert (detail["did"], detail["to"], detail["taken_from"]) == ("assign", colleague.pk, third.pk)
    assert str(application.pk) in detail["rows"]["desk.case"]
    log = as_agent.get(f"/desk/audit/?reference={application.reference}").content.decode()
    assert "Assigned the case to Dev Ramanathan" in log


def test_nobody_without_the_right_is_given_a_case(
    submitted: Draft, owner: Any, agent: Any, colleague: Any, third: Any, as_agent: Client
) -> None:
    third.set_rights([right for right in Right.values if right != Right.REVIEW])
    colleague.is_active = False
    colleague.save()
    posted = {"case": submitted.application.pk, "held": "1.1", "shown": "?view=all"}
    addresses = ("/desk/assignments/", f"/desk/{submitted.application.reference}/assignment/")
    for person in (owner.pk, colleague.pk, third.pk, agent.pk, "999999", "9" * 40, ""):
        for address in addresses:
            markup = sound(as_agent.post(address, posted | {"agent": person}), 422)
            select = markup.one("select", name="agent")
            assert select.attributes["aria-invalid"] == "true"
            message = "This person can’t be given cases." if person else "Select a colleague."
            assert message in markup.one("p", id=select.attributes["aria-describedby"]).text
            for name, value in posted.items():
                assert markup.one("input", name=name).attributes["value"] == str(value)
    assert holder(submitted.application) is None
    assert not Entry.objects.filter(action=AuditAction.CLAIM).exists()


def test_whoever_has_it_keeps_it(submitted: Draft, owner: Any, colleague: Any, third: Any, as_agent: Client) -> None:
    [free] = submitted_ones(owner, 1)
    posted = posted_from(as_agent, "/desk/", [submitted.application, free]) | {"agent": colleague.pk}
    claims.claim([submitted.application.pk], by=third)
    html = page_after_post(as_agent, "/desk/assignments/", posted)
    assert "Ana has already claimed Larkfield Holdings." in html
    assert "You have assigned 1 case to Dev Ramanathan." in html
    assert [holder(submitted.application), holder(free)] == [third, colleague]


def test_ones_own_and_ended_claims_are_handed_on(owner: Any, agent: Any, colleague: Any, third: Any) -> None:
    own, ended, theirs = submitted_ones(owner, 3)
    claims.claim([own.pk], by=agent)
    claims.claim([ended.pk], by=third)
    claims.claim([theirs.pk], by=colleague)
    Case.objects.filter(pk=ended.pk).update(claimed_at=timezone.now() - timedelta(days=2))
    since = Case.objects.get(pk=theirs.pk).claimed_at
    shown = {own.pk: "", ended.pk: "", theirs.pk: str(colleague.pk)}
    given, kept = claims.assign(shown, to=colleague, by=agent)
    assert [{one.pk for one in some} for some in (given, kept)] == [{own.pk, ended.pk}, {theirs.pk}]
    assert Case.objects.get(pk=theirs.pk).claimed_at == since
    assert set(Case.objects.values_list("taken_from", flat=True)) == {None}
