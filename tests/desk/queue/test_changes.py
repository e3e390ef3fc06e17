"""Each row says how many checks are done, and whether others have changed the case since one has looked at it."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.test import Client
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.contract.lifecycle import State
from formation_portal.desk.models import Case, Opening
from formation_portal.desk.queue import claims
from formation_portal.desk.queue.pages import QueueVersion
from formation_portal.reviews.checklist import load_checklist
from formation_portal.reviews.checks import reopen
from formation_portal.reviews.queries import write_note
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target
from formation_portal.reviews.transactions import current_version
from tests import factories
from tests.desk.decision_setup import case_page, take_over
from tests.desk.factories import news_address, page, searched, submitted_ones
from tests.desk.review_rounds import accept_at, ask_at, rename, return_it
from tests.markup import Markup

HTMX = {"HX-Request": "true"}
BORN = Target.of_field("ada", "person.date_of_birth")


def checks(draft: Draft) -> tuple[int, int]:
    case, facts = Case.objects.get(pk=draft.application.pk), list(load_checklist(factories.again(draft)))
    assert (case.checks_done, case.checks_all) == (sum(one.is_done for one in facts), len(facts))
    return case.checks_done, case.checks_all


def test_checks_done_follow_each_change_of_a_review(submitted: Draft, owner: Any, agent: Any, as_agent: Client) -> None:
    done, every = checks(submitted)
    assert (done, every > 5) == (0, True)
    assert f"0 of {every} checks" in page(as_agent).one("tbody").text
    accept_at(submitted, BORN, by=agent)
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


def mark(client: Client) -> str:
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
    ask_at(submitted, WHOLE_APPLICATION, agent)
    assert mark(as_agent) == "", "one's own work is no news"
    take_over(submitted, agent)
    return_it(submitted, agent)
    news = case_page(as_agent, submitted).one("p", id="news").attributes["hx-get"]
    rename(factories.again(submitted), "Kestrel", owner)
    assert mark(as_agent) == "New answers"
    services.submit(factories.again(submitted), by=owner)
    claims.release([submitted.application.pk], by=agent)
    assert claims.claim([submitted.application.pk], by=agent)[0]
    assert mark(as_agent) == "New answers", "claiming it is no look at it"
    Opening.objects.update(seen_at="2026-01-01T00:00:00Z")
    assert as_agent.get(news, headers=HTMX).status_code == 200
    assert mark(as_agent) == "New answers", "a page that only asks looks at nothing"


def test_a_change_of_a_case_on_the_page_is_news(owner: Any, colleague: Any, as_agent: Client) -> None:
    on_page = submitted_ones(owner, 1, state=State.IN_REVIEW)
    elsewhere = submitted_ones(owner, 1, first_days=3, state=State.WITHDRAWN)
    address = news_address(as_agent)
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


def test_what_the_page_shows_already_is_no_news_which_costs_one_query_and_is_no_use_of_the_session(
    owner: Any, as_agent: Client, as_nobody: Client, django_assert_num_queries: Any
) -> None:
    submitted_ones(owner, 3)
    address, session = news_address(as_agent), as_agent.session
    session["used_at"] = used = timezone.now().timestamp() - 600
    session.save()
    # Session, account, and what has come.
    with django_assert_num_queries(3):
        assert as_agent.get(address, headers=HTMX).status_code == 204
    assert as_agent.session["used_at"] == used
    as_agent.get("/desk/")
    assert as_agent.session["used_at"] > used
    # A page whose session has ended stays, and hears of nothing.
    answer = as_nobody.get("/desk/news/", headers=HTMX)
    assert (answer.status_code, dict(answer.headers).get("HX-Redirect")) == (204, None)


def old_news_address(client: Client, query: str = "") -> str:
    address = news_address(client, query)
    old = QueueVersion.read(address.partition("token=")[2])
    assert old is not None
    return address.replace(str(old), str(replace(old, drawn=timezone.now() - timedelta(seconds=20))))


def test_what_has_come_is_counted_once_and_leads_to_the_newest(owner: Any, as_agent: Client) -> None:
    query = searched(as_agent, "?view=unclaimed&q=ingrid")
    address = old_news_address(as_agent, query)
    submitted_ones(owner, 1)
    submitted_ones(owner, 1)
    answer = Markup(as_agent.get(address, headers=HTMX).content.decode())
    assert answer.one("p", id="announcer").text == "2 new cases"
    assert answer.one("p", id="news").text == "2 new cases. Show"
    assert answer.one("a").attributes["href"] == f"/desk/{query}&sort=newest"
    following = answer.one("p", id="news").attributes["hx-get"]
    assert as_agent.get(following, headers=HTMX).status_code == 204
    submitted_ones(owner, 1)
    assert "3 new cases" in as_agent.get(following, headers=HTMX).content.decode()


def test_what_the_view_and_the_filters_leave_out_is_no_news(owner: Any, agent: Any, as_agent: Client) -> None:
    addresses = [old_news_address(as_agent, query) for query in ("?view=unclaimed", "?q=nobody", "?view=answered")]
    [case] = submitted_ones(owner, 1)
    answer = Markup(as_agent.get(addresses[0], headers=HTMX).content.decode())
    following = answer.one("p", id="news").attributes["hx-get"]
    Case.objects.filter(pk=case.pk).update(claimed_by=agent, claimed_at=timezone.now())
    assert [as_agent.get(address, headers=HTMX).status_code for address in addresses] == [204] * 3
    # What had come and is gone again is taken back.
    answer = Markup(as_agent.get(following, headers=HTMX).content.decode())
    assert answer.one("p", id="news").text == ""
    assert answer.all("a") == []


def test_a_case_that_is_seen_late_is_news_and_an_unreadable_version_is_none(owner: Any, as_agent: Client) -> None:
    address = news_address(as_agent)
    [case] = submitted_ones(owner, 1)
    late = timezone.now() - timedelta(seconds=2)
    Case.objects.filter(pk=case.pk).update(submitted_at=late, open_since=late, waiting_since=late)
    assert "1 new case." in as_agent.get(address, headers=HTMX).content.decode()
    submitted_ones(owner, 1)
    for token in ("", "1.x", "9" * 40 + ".1", "9" * 18 + ".1", "1.2.x"):
        assert as_agent.get(f"/desk/news/?token={token}", headers=HTMX).status_code == 204, token
