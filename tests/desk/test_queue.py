"""The queue holds what was submitted, the longest waiting first."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from formation_portal.applications import saving
from formation_portal.applications.drafts import Draft
from formation_portal.applications.models import Application
from formation_portal.contract.lifecycle import State
from tests.applications import made
from tests.markup import Markup

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def submitted_ones(owner: Any, count: int, **more: Any) -> list[Application]:
    made_ones = [saving.start(owner=owner, product=made.product()) for _ in range(count)]
    for days, application in enumerate(made_ones):
        Application.objects.filter(pk=application.pk).update(
            **{"state": State.SUBMITTED_FOR_REVIEW, "submitted_at": timezone.now() - timedelta(days=days)} | more
        )
    return made_ones


def references(client: Client, query: str = "") -> list[str]:
    markup = Markup(client.get(f"/desk/{query}").content.decode())
    assert markup.faults == []
    return [one.text for one in markup.all("td", class_="nowrap")]


def test_a_draft_is_not_there(draft: Draft, as_agent: Client) -> None:
    assert references(as_agent) == []
    assert "Nothing is waiting" in as_agent.get("/desk/").content.decode()


def test_a_submitted_application_is_there(submitted: Draft, as_agent: Client) -> None:
    html = as_agent.get("/desk/").content.decode()
    assert references(as_agent) == [submitted.application.reference]
    assert "Larkfield Holdings" in html
    assert "1 party, 1 document" in html
    assert "Ingrid Solheim" in html


def test_the_longest_waiting_comes_first(owner: Any, as_agent: Client) -> None:
    newest, middle, oldest = submitted_ones(owner, 3)
    assert references(as_agent) == [oldest.reference, middle.reference, newest.reference]


def test_it_has_pages(owner: Any, as_agent: Client) -> None:
    submitted_ones(owner, 30)
    assert len(references(as_agent)) == 25
    assert len(references(as_agent, "?page=2")) == 5
    assert len(references(as_agent, "?page=nonsense")) == 25


def test_one_state_is_picked(owner: Any, as_agent: Client) -> None:
    [new] = submitted_ones(owner, 1)
    [reviewed] = submitted_ones(owner, 1, state=State.IN_REVIEW)
    assert references(as_agent, "?state=in_review") == [reviewed.reference]
    assert references(as_agent, "?state=submitted_for_review") == [new.reference]
    assert len(references(as_agent, "?state=nonsense")) == 2


def test_one_finds_a_case_by_reference_and_by_customer(owner: Any, stranger: Any, as_agent: Client) -> None:
    [mine] = submitted_ones(owner, 1)
    [theirs] = submitted_ones(stranger, 1)
    assert references(as_agent, f"?q={mine.reference[:7].lower()}") == [mine.reference]
    assert references(as_agent, "?q=Otto+fremd") == [theirs.reference]
    assert references(as_agent, "?q=Otto%00fremd") == [theirs.reference]
    assert references(as_agent, "?q=nobody") == []


def test_more_cases_cost_no_more_queries(owner: Any, as_agent: Client) -> None:
    costs = []
    for _ in range(2):
        submitted_ones(owner, 5)
        with CaptureQueriesContext(connection) as captured:
            as_agent.get("/desk/")
        costs.append(len(captured))
    assert costs[0] == costs[1]
