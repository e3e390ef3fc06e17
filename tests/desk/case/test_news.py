"""An open case says in one line what others have done to it meanwhile, and who else has it open."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.desk.case.news import delete_old_presence
from formation_portal.desk.models import Opening
from formation_portal.desk.queue import claims
from formation_portal.reviews import checks, queries
from formation_portal.reviews.checklist import load_checklist
from formation_portal.reviews.targets import Target, TargetKind
from formation_portal.reviews.transactions import current_version
from tests import factories
from tests.markup import Markup

pytestmark = pytest.mark.django_db(databases=["default", "service"])
HTMX = {"HX-Request": "true"}


@pytest.fixture
def other(django_user_model: Any) -> Any:
    return django_user_model.objects.create_user(
        "dev@example.com", first_name="Dev", last_name="Ramanathan", is_agent=True
    )


def case_url(draft: Draft) -> str:
    return f"/desk/{draft.application.reference}/"


def opened(client: Client, draft: Draft) -> str:
    """Where the page of the case, drawn now, asks for news."""
    markup = Markup(client.get(case_url(draft)).content.decode())
    assert markup.faults == []
    return markup.one("p", id="news").attributes["hx-get"]


def news(client: Client, address: str) -> Markup:
    response = client.get(address, headers=HTMX)
    assert response.status_code == 200
    return Markup(response.content.decode())


def news_text(client: Client, address: str) -> str:
    return news(client, address).one("p", id="news").text


def test_nothing_new_is_no_content(submitted: Draft, as_agent: Client) -> None:
    assert as_agent.get(opened(as_agent, submitted), headers=HTMX).status_code == 204


def test_an_action_of_another_is_said_once_and_leads_to_the_page_as_it_is_by_then(
    submitted: Draft, owner: Any, as_agent: Client
) -> None:
    address = opened(as_agent, submitted)
    services.withdraw(submitted, by=owner)
    headers = HTMX | {"HX-Current-URL": f"http://testserver{case_url(submitted)}?round=2"}
    answer = Markup(as_agent.get(address, headers=headers).content.decode())
    news = answer.one("p", id="news")
    assert news.text.startswith("The customer withdrew this on ")
    assert answer.one("a").attributes["href"] == f"{case_url(submitted)}?round=2"
    assert answer.one("p", id="announcer").text in news.text
    assert as_agent.get(news.attributes["hx-get"], headers=HTMX).status_code == 204


def test_what_was_done_first_is_still_said_when_more_is_done(
    submitted: Draft, owner: Any, other: Any, as_agent: Client
) -> None:
    address = opened(as_agent, submitted)
    services.advance(submitted, "begin_review", by=other)
    answer = news(as_agent, address).one("p", id="news")
    assert answer.text.startswith("Dev Ramanathan began the review on ")
    claims.claim([submitted.application.pk], by=other)
    assert news_text(as_agent, answer.attributes["hx-get"]).startswith("Dev Ramanathan began the review on ")


def test_what_others_make_of_it_is_said_and_ones_own_is_not(
    submitted: Draft, agent: Any, other: Any, as_agent: Client
) -> None:
    facts = [fact.target for fact in load_checklist(submitted)]
    checks.accept(submitted, facts[:1], by=agent, version=current_version(submitted.application))
    address = opened(as_agent, submitted)
    checks.accept(submitted, facts[1:3], by=other, version=current_version(submitted.application))
    assert news_text(as_agent, address).startswith("Dev Ramanathan accepted 2 facts on ")
    queries.write_note(submitted, Target(TargetKind.APPLICATION), text="Ask twice. " * 50, by=other)
    news = news_text(as_agent, address)
    assert news.startswith("Dev Ramanathan wrote a note: Ask twice.")
    assert ", and 2 more. Show" in news
    assert len(news) < 180
    address = opened(as_agent, submitted)
    checks.accept(submitted, facts, by=agent, version=current_version(submitted.application))
    assert news_text(as_agent, address).startswith("As of ")


def test_a_case_that_was_submitted_again_says_so(submitted: Draft, owner: Any, as_agent: Client) -> None:
    services.reopen(submitted, reason="Returned")
    address = opened(as_agent, submitted)
    services.submit(submitted, by=owner)
    assert news_text(as_agent, address).startswith("The customer submitted this again on ")


def test_ones_own_actions_are_no_news(submitted: Draft, agent: Any, as_agent: Client) -> None:
    address = opened(as_agent, submitted)
    services.advance(submitted, "begin_review", by=agent)
    claims.claim([submitted.application.pk], by=agent)
    answer = news(as_agent, address)
    assert answer.one("p", id="news").text.startswith("As of ")
    assert answer.all("a") == []
    assert answer.all("p", id="announcer") == []


def test_claims_of_others_and_their_end_are_said(submitted: Draft, other: Any, as_agent: Client) -> None:
    services.advance(submitted, "begin_review", by=other)
    address = opened(as_agent, submitted)
    claims.claim([submitted.application.pk], by=other)
    assert news_text(as_agent, address).startswith("Dev Ramanathan claimed this on ")
    address = opened(as_agent, submitted)
    claims.release([submitted.application.pk], by=other)
    assert news_text(as_agent, address).startswith("The claim was released.")


def test_an_answer_that_its_customer_corrects_is_said(submitted: Draft, owner: Any, as_agent: Client) -> None:
    services.reopen(submitted, reason="Returned")
    address = opened(as_agent, submitted)
    section = submitted.schema.entity_sections[0]
    answers = {"entity.name": "Kestrel"}
    services.save_section(submitted, section, answers, version=submitted.version(section.key), by=owner)
    assert news_text(as_agent, address).startswith("The customer changed something on ")


def test_agents_see_who_else_has_it_open(submitted: Draft, other: Any, as_agent: Client) -> None:
    address, theirs = opened(as_agent, submitted), Client()
    theirs.force_login(other, backend="allauth.account.auth_backends.AuthenticationBackend")
    theirs_url = opened(theirs, submitted)
    answer = news(as_agent, address)
    assert "Dev Ramanathan opened this on " in answer.one("p", id="news").text
    assert "Dev Ramanathan opened this on " in answer.one("p", id="announcer").text
    assert "Dev Ramanathan opened this on " in as_agent.get(case_url(submitted)).content.decode()
    Opening.objects.filter(agent=other).update(seen_at=timezone.now() - timedelta(minutes=4))
    theirs.get(theirs_url, headers=HTMX)
    assert "Dev Ramanathan opened" in as_agent.get(case_url(submitted)).content.decode()
    Opening.objects.filter(agent=other).update(seen_at=timezone.now() - timedelta(minutes=6))
    assert "Dev Ramanathan opened" not in as_agent.get(case_url(submitted)).content.decode()
    delete_old_presence()
    assert Opening.objects.filter(agent=other).exists(), "what they have seen is compared with"
    Opening.objects.filter(agent=other).update(seen_at=timezone.now() - timedelta(days=91))
    delete_old_presence()
    assert list(Opening.objects.exclude(agent=other)) == list(Opening.objects.all())


def test_who_has_it_open_is_written_once_a_minute(submitted: Draft, agent: Any, as_agent: Client) -> None:
    address = opened(as_agent, submitted)
    before = Opening.objects.values().get()
    with CaptureQueriesContext(connection) as captured:
        as_agent.get(address, headers=HTMX)
    assert not [one for one in captured if "opening" in one["sql"] and not one["sql"].startswith("SELECT")]
    Opening.objects.update(seen_at=timezone.now() - timedelta(seconds=61))
    as_agent.get(address, headers=HTMX)
    after = Opening.objects.values().get()
    assert after["opened_at"] == before["opened_at"]
    assert after["seen_at"] >= before["seen_at"]


@pytest.mark.parametrize("query", ["", "drawn=x&said=y", "drawn=1.2.3&said=1.2.3.4", "drawn=1.2.3.4&said=1.9.1.x"])
def test_a_version_that_cannot_be_read_is_no_news(submitted: Draft, as_agent: Client, query: str) -> None:
    assert as_agent.get(f"{case_url(submitted)}news/?{query}", headers=HTMX).status_code == 204


def test_asking_costs_few_queries_and_is_no_use_of_the_session(submitted: Draft, as_agent: Client) -> None:
    address = opened(as_agent, submitted)
    session = as_agent.session
    session["used_at"] = used = timezone.now().timestamp() - 600
    session.save()
    with CaptureQueriesContext(connection) as captured:
        as_agent.get(address, headers=HTMX)
    # Session, account, its rights, whether the case is open to it, case, and who has it open.
    assert len(captured) == 6
    assert as_agent.session["used_at"] == used


def test_its_address_opened_by_itself_is_the_case(submitted: Draft, as_agent: Client) -> None:
    assert as_agent.get(opened(as_agent, submitted))["Location"] == case_url(submitted)


def test_only_agents_hear_of_it_and_only_of_what_was_submitted(
    submitted: Draft, owner: Any, as_owner: Client, as_agent: Client, as_nobody: Client
) -> None:
    address = opened(as_agent, submitted)
    assert as_owner.get(address, headers=HTMX).status_code == 403
    assert as_nobody.get(address, headers=HTMX).status_code == 204
    assert as_nobody.get(address, headers=HTMX).content == b""
    draft = factories.new_draft(owner)
    assert as_agent.get(f"{case_url(draft)}news/", headers=HTMX).status_code == 404
