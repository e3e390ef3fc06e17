"""Each row says how many checks are done, and whether others have changed the case since one has looked at it."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.contract.lifecycle import State
from formation_portal.desk.models import Case, Opening
from formation_portal.desk.queue import claims
from formation_portal.reviews.checklist import load_checklist
from formation_portal.reviews.checks import accept, reopen
from formation_portal.reviews.queries import draft_query, write_note
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target
from formation_portal.reviews.transactions import current_version
from tests import factories
from tests.desk.decision_setup import take_over
from tests.desk.factories import page, submitted_ones
from tests.desk.review_rounds import ask_at, rename, return_it
from tests.markup import Markup

pytestmark = pytest.mark.django_db(databases=["default", "service"])
HTMX = {"HX-Request": "true"}
BORN = Target.of_field("ada", "person.date_of_birth")


def checks(draft: Draft) -> tuple[int, int]:
    """As the queue has them; and they are those of the case's own page."""
    case, facts = Case.objects.get(pk=draft.application.pk), list(load_checklist(factories.again(draft)))
    assert (case.checks_done, case.checks_all) == (sum(one.is_done for one in facts), len(facts))
    return case.checks_done, case.checks_all


def test_checks_done_follow_each_change_of_a_review_and_each_submission(
    submitted: Draft, owner: Any, agent: Any, as_agent: Client
) -> None:
    done, every = checks(submitted)
    assert (done, every > 5) == (0, True)
    assert f"0 of {every} checks" in page(as_agent).one("tbody").text
    accept(submitted, [BORN], by=agent, version=current_version(submitted.application))
    assert checks(submitted) == (1, every)
    assert f"1 of {every} checks" in page(as_agent).one("tbody").text
    reopen(factories.again(submitted), BORN, by=agent, version=current_version(submitted.application))
    assert checks(submitted) == (0, every)
    factories.accept_everything(submitted, agent)
    ask_at(submitted, BORN, agent)
    assert checks(submitted) == (every - 1, every)
    ask_at(submitted, Target.of_field("the-company", "entity.name"), agent)
    return_it(submitted, agent)
    rename(factories.again(submitted), "Kestrel", owner)
    services.submit(factories.again(submitted), by=owner)
    done, every = checks(submitted)
    assert 0 < done < every


def test_a_case_of_before_is_counted_when_its_review_begins(submitted: Draft, agent: Any, as_agent: Client) -> None:
    Case.objects.update(checks_all=0)
    assert "checks" not in page(as_agent).one("tbody").text
    claims.claim([submitted.application.pk], by=agent)
    checks(submitted)


def mark(client: Client) -> str:
    """What the only row says of changes."""
    text = page(client, "?view=all").one("tbody").text
    return next((words for words in ("New answers", "Changed since you looked") if words in text), "")


def look(client: Client, draft: Draft, subpage: str = "") -> None:
    assert client.get(f"/desk/{draft.application.reference}/{subpage}").status_code == 200


def test_what_others_change_is_marked_until_one_looks(
    submitted: Draft, owner: Any, agent: Any, colleague: Any, as_agent: Client, as_colleague: Client
) -> None:
    write_note(submitted, WHOLE_APPLICATION, text="Known to us", by=colleague)
    assert mark(as_agent) == "", "who never looked at it has missed nothing"
    look(as_agent, submitted)
    write_note(factories.again(submitted), WHOLE_APPLICATION, text="And again", by=colleague)
    assert (mark(as_agent), mark(as_colleague)) == ("Changed since you looked", "")
    look(as_agent, submitted, "parties/ada/")
    assert mark(as_agent) == ""
    draft_query(
        factories.again(submitted),
        WHOLE_APPLICATION,
        text="Why?",
        by=agent,
        version=current_version(submitted.application),
    )
    assert mark(as_agent) == "", "one's own work is no news"
    take_over(submitted, agent)
    return_it(submitted, agent)
    look(as_agent, submitted)
    rename(factories.again(submitted), "Kestrel", owner)
    assert mark(as_agent) == "New answers"
    services.submit(factories.again(submitted), by=owner)
    claims.release([submitted.application.pk], by=agent)
    assert claims.claim([submitted.application.pk], by=agent)[0]
    assert mark(as_agent) == "New answers", "claiming it is no look at it"


def test_a_page_that_only_asks_looks_at_nothing(submitted: Draft, colleague: Any, as_agent: Client) -> None:
    html = as_agent.get(f"/desk/{submitted.application.reference}/").content.decode()
    write_note(submitted, WHOLE_APPLICATION, text="Known to us", by=colleague)
    Opening.objects.update(seen_at="2026-01-01T00:00:00Z")
    assert as_agent.get(Markup(html).one("p", id="news").attributes["hx-get"], headers=HTMX).status_code == 200
    assert mark(as_agent) == "Changed since you looked"


def test_what_the_service_does_is_a_change(submitted: Draft, as_agent: Client) -> None:
    look(as_agent, submitted)
    services.reopen(submitted, reason="Refused")
    assert mark(as_agent) == "Changed since you looked"


def test_a_change_of_a_case_on_the_page_is_news(owner: Any, colleague: Any, as_agent: Client) -> None:
    on_page = submitted_ones(owner, 1, state=State.IN_REVIEW)
    elsewhere = submitted_ones(owner, 1, first_days=3, state=State.WITHDRAWN)
    address = page(as_agent).one("p", id="news").attributes["hx-get"]
    Case.objects.filter(pk=elsewhere[0].pk).update(changed_at=timezone.now())
    assert as_agent.get(address, headers=HTMX).status_code == 204
    claims.claim([on_page[0].pk], by=colleague)
    headers = HTMX | {"HX-Current-URL": "http://testserver/desk/?sort=newest"}
    answer = Markup(as_agent.get(address, headers=headers).content.decode())
    assert answer.one("p", id="news").text == "1 changed case. Show"
    assert answer.one("a").attributes["href"] == "/desk/?sort=newest"
    following = answer.one("p", id="news").attributes["hx-get"]
    assert as_agent.get(following, headers=HTMX).status_code == 204
    claims.release([on_page[0].pk], by=colleague)
    submitted_ones(owner, 1)
    submitted_ones(owner, 1)
    answer = Markup(as_agent.get(following, headers=headers).content.decode())
    assert answer.one("p", id="announcer").text == "2 new cases and 1 changed case"


def test_asking_costs_one_query_of_the_queue(owner: Any, as_agent: Client, django_assert_num_queries: Any) -> None:
    submitted_ones(owner, 3)
    address = page(as_agent).one("p", id="news").attributes["hx-get"]
    # Session, account, and what has come.
    with django_assert_num_queries(3):
        assert as_agent.get(address, headers=HTMX).status_code == 204
