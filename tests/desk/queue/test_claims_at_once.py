"""Agents, colleagues and customers at one case at the same moment, on PostgreSQL."""

from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.audit.models import AuditAction, Entry
from formation_portal.contract.lifecycle import State
from formation_portal.desk.models import Case
from formation_portal.desk.queue import claims
from formation_portal.mail.models import Email
from tests import factories
from tests.desk.factories import submitted_ones
from tests.two_connections import at_once, postgresql_only

pytestmark = [pytest.mark.django_db(databases=["default", "service"], transaction=True), postgresql_only]


def case_of(draft: Draft) -> Case:
    return Case.objects.select_related("claimed_by", "application").get(pk=draft.application.pk)


def claim_entries() -> int:
    return Entry.objects.filter(action=AuditAction.CLAIM).count()


def begun(draft: Draft) -> int:
    return draft.application.changes.filter(moved_to=State.IN_REVIEW).count()


def test_of_two_agents_one_has_the_case(submitted: Draft, agent: Any, colleague: Any) -> None:
    number = submitted.application.pk
    first, second = at_once(lambda: claims.claim([number], by=agent), lambda: claims.claim([number], by=colleague))
    (won, lost), (others_won, others_lost) = first.result, second.result
    assert ([case.pk for case in won], lost) == ([number], [])
    assert (others_won, [case.claimed_by for case in others_lost]) == ([], [agent])
    assert case_of(submitted).claimed_by == agent
    assert (claim_entries(), begun(submitted)) == (1, 1)


def test_of_two_colleagues_one_takes_over(submitted: Draft, agent: Any, colleague: Any) -> None:
    claims.claim([submitted.application.pk], by=agent)
    third = type(agent).objects.create_user("third@example.com", first_name="Tui", is_agent=True)
    cases = case_of(submitted), case_of(submitted)
    first, second = at_once(
        lambda: claims.take_over(cases[0], by=colleague, reason="Holiday"),
        lambda: claims.take_over(cases[1], by=third, reason="Illness"),
    )
    assert (first.result, second.result) == (True, False)
    case = case_of(submitted)
    assert (case.claimed_by, case.taken_from_id, case.takeover_reason) == (colleague, agent.pk, "Holiday")
    assert Email.objects.filter(kind="case_taken_over").count() == 1


def test_a_case_that_is_released_meanwhile_is_not_taken_over(submitted: Draft, agent: Any, colleague: Any) -> None:
    claims.claim([submitted.application.pk], by=agent)
    case = case_of(submitted)
    released, taken = at_once(
        lambda: claims.release([case.pk], by=agent), lambda: claims.take_over(case, by=colleague, reason="Illness")
    )
    assert (released.result, taken.result) == (1, False)
    assert case_of(submitted).claimed_by is None


def test_a_case_that_is_released_meanwhile_is_simply_claimed(submitted: Draft, agent: Any, colleague: Any) -> None:
    number = submitted.application.pk
    claims.claim([number], by=agent)
    _, said = at_once(
        lambda: claims.release([number], by=agent),
        lambda: claims.claim_or_take_over(number, by=colleague, taken_from=str(agent.pk), reason="Illness"),
    )
    assert said.result[1] == "You have claimed this case."
    case = case_of(submitted)
    assert (case.claimed_by, case.taken_from_id, case.takeover_reason) == (colleague, None, "")
    assert not Email.objects.filter(kind="case_taken_over").exists()


def test_a_case_that_is_taken_over_meanwhile_is_not_released(submitted: Draft, agent: Any, colleague: Any) -> None:
    claims.claim([submitted.application.pk], by=agent)
    case = case_of(submitted)
    taken, released = at_once(
        lambda: claims.take_over(case, by=colleague, reason="Illness"), lambda: claims.release([case.pk], by=agent)
    )
    assert (taken.result, released.result) == (True, 0)
    assert case_of(submitted).claimed_by == colleague


def test_a_case_that_is_claimed_meanwhile_is_not_given_to_another(submitted: Draft, agent: Any, colleague: Any) -> None:
    number = submitted.application.pk
    lead = type(agent).objects.create_user("lead@example.com", first_name="Lea", is_agent=True)
    _, given = at_once(
        lambda: claims.claim([number], by=agent), lambda: claims.assign({number: ""}, to=colleague, by=lead)
    )
    assert ([case.pk for case in given.result[0]], [case.pk for case in given.result[1]]) == ([], [number])
    assert case_of(submitted).claimed_by == agent


def test_a_case_that_its_customer_withdraws_meanwhile_is_not_claimed(submitted: Draft, owner: Any, agent: Any) -> None:
    number = submitted.application.pk
    window = factories.again(submitted)
    withdrawn, claimed = at_once(lambda: services.withdraw(window, by=owner), lambda: claims.claim([number], by=agent))
    assert (withdrawn.error, claimed.result) == (None, ([], []))
    assert case_of(submitted).claimed_by is None
    assert begun(submitted) == 0
    assert Application.objects.get(pk=number).status is State.WITHDRAWN


def test_a_case_that_is_claimed_meanwhile_is_withdrawn_from_its_agent(submitted: Draft, owner: Any, agent: Any) -> None:
    number = submitted.application.pk
    window = factories.again(submitted)
    claimed, withdrawn = at_once(lambda: claims.claim([number], by=agent), lambda: services.withdraw(window, by=owner))
    assert (claimed.error, withdrawn.error) == (None, None)
    assert Application.objects.get(pk=number).status is State.WITHDRAWN
    assert case_of(submitted).claimed_by is None


def test_two_agents_with_the_same_cases_do_not_wait_for_each_other(
    submitted: Draft, owner: Any, agent: Any, colleague: Any
) -> None:
    """Each names them in another order."""
    [other] = submitted_ones(owner, 1)
    numbers = [submitted.application.pk, other.pk]
    first, second = at_once(lambda: claims.claim(numbers, by=agent), lambda: claims.claim(numbers[::-1], by=colleague))
    assert (first.error, second.error) == (None, None)
    assert {case.claimed_by_id for case in Case.objects.all()} == {agent.pk}
