"""An open case says in one line what others have done to it meanwhile, and who else has it open."""

from datetime import timedelta
from typing import Any

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
from tests.desk.decision_setup import case_page, path
from tests.desk.review_rounds import rename
from tests.markup import Markup

HTMX = {"HX-Request": "true"}


def opened(client: Client, draft: Draft) -> str:
    return case_page(client, draft).one("p", id="news").attributes["hx-get"]


def news(client: Client, address: str) -> Markup:
    response = client.get(address, headers=HTMX)
    assert response.status_code == 200
    return Markup(response.content.decode())


def news_text(client: Client, address: str) -> str:
    return news(client, address).one("p", id="news").text


def test_what_its_customer_does_is_said_once_and_leads_there(submitted: Draft, owner: Any, as_agent: Client) -> None:
    services.reopen(submitted, reason="Returned")
    address = opened(as_agent, submitted)
    rename(submitted, "Kestrel", owner)
    assert news_text(as_agent, address).startswith("The customer changed something on ")
    services.submit(factories.again(submitted), by=owner)
    assert news_text(as_agent, address).startswith("The customer submitted this again on ")
    address = opened(as_agent, submitted)
    services.withdraw(factories.again(submitted), by=owner)
    headers = HTMX | {"HX-Current-URL": f"http://testserver{path(submitted)}?round=2"}
    answer = Markup(as_agent.get(address, headers=headers).content.decode())
    news = answer.one("p", id="news")
    assert news.text.startswith("The customer withdrew this on ")
    assert answer.one("a").attributes["href"] == f"{path(submitted)}?round=2"
    assert answer.one("p", id="announcer").text in news.text
    assert as_agent.get(news.attributes["hx-get"], headers=HTMX).status_code == 204


def test_what_others_do_alone_is_said(submitted: Draft, agent: Any, colleague: Any, as_agent: Client) -> None:
    facts = [fact.target for fact in load_checklist(submitted)]
    checks.accept(submitted, facts[:1], by=agent, version=current_version(submitted.application))
    address = opened(as_agent, submitted)
    checks.accept(submitted, facts[1:3], by=colleague, version=current_version(submitted.application))
    assert news_text(as_agent, address).startswith("Dev Ramanathan accepted 2 facts on ")
    queries.write_note(submitted, Target(TargetKind.APPLICATION), text="Ask twice. " * 50, by=colleague)
    text = news_text(as_agent, address)
    assert text.startswith("Dev Ramanathan wrote a note: Ask twice.")
    assert ", and 2 more. Show" in text
    assert len(text) < 180
    address = opened(as_agent, submitted)
    checks.accept(submitted, facts, by=agent, version=current_version(submitted.application))
    claims.claim([submitted.application.pk], by=agent)
    answer = news(as_agent, address)
    assert answer.one("p", id="news").text.startswith("As of ")
    assert answer.all("a") == answer.all("p", id="announcer") == []


def test_others_claims_and_their_end_are_told(submitted: Draft, agent: Any, colleague: Any, as_agent: Client) -> None:
    address = opened(as_agent, submitted)
    services.advance(submitted, "begin_review", by=colleague)
    first = news(as_agent, address).one("p", id="news")
    assert first.text.startswith("Dev Ramanathan began the review on ")
    seen = opened(as_agent, submitted)
    claims.claim([submitted.application.pk], by=colleague)
    assert news_text(as_agent, seen).startswith("Dev Ramanathan claimed this on ")
    # What was done first is said until it is seen.
    assert news_text(as_agent, first.attributes["hx-get"]).startswith("Dev Ramanathan began the review on ")
    address = opened(as_agent, submitted)
    claims.release([submitted.application.pk], by=colleague)
    assert news_text(as_agent, address).startswith("The claim was released.")
    claims.assign({submitted.application.pk: ""}, to=agent, by=colleague)
    assert news_text(as_agent, address).startswith("Dev Ramanathan assigned this to you on ")


def test_who_else_has_it_open_is_seen(submitted: Draft, colleague: Any, as_agent: Client, as_colleague: Client) -> None:
    address = opened(as_agent, submitted)
    theirs_url = opened(as_colleague, submitted)
    answer = news(as_agent, address)
    assert "Dev Ramanathan opened this on " in answer.one("p", id="news").text
    assert "Dev Ramanathan opened this on " in answer.one("p", id="announcer").text
    assert "Dev Ramanathan opened this on " in as_agent.get(path(submitted)).content.decode()
    Opening.objects.filter(agent=colleague).update(seen_at=timezone.now() - timedelta(minutes=4))
    as_colleague.get(theirs_url, headers=HTMX)
    assert "Dev Ramanathan opened" in as_agent.get(path(submitted)).content.decode()
    Opening.objects.filter(agent=colleague).update(seen_at=timezone.now() - timedelta(minutes=6))
    assert "Dev Ramanathan opened" not in as_agent.get(path(submitted)).content.decode()
    delete_old_presence()
    assert Opening.objects.filter(agent=colleague).exists(), "what they have seen is compared with"
    Opening.objects.filter(agent=colleague).update(seen_at=timezone.now() - timedelta(days=91))
    delete_old_presence()
    assert list(Opening.objects.exclude(agent=colleague)) == list(Opening.objects.all())


def test_asking_costs_few_queries_and_writes_once_a_minute(submitted: Draft, as_agent: Client) -> None:
    address = opened(as_agent, submitted)
    before = Opening.objects.values().get()
    session = as_agent.session
    session["used_at"] = used = timezone.now().timestamp() - 600
    session.save()
    with CaptureQueriesContext(connection) as captured:
        as_agent.get(address, headers=HTMX)
    # Session, account, its rights, whether the case is open to it, case, and who has it open.
    assert [one["sql"].partition(" ")[0] for one in captured] == ["SELECT"] * 6
    assert as_agent.session["used_at"] == used
    Opening.objects.update(seen_at=timezone.now() - timedelta(seconds=61))
    as_agent.get(address, headers=HTMX)
    after = Opening.objects.values().get()
    assert after["opened_at"] == before["opened_at"]
    assert after["seen_at"] >= before["seen_at"]
    for query in ("", "drawn=x&said=y", "drawn=1.2.3&said=1.2.3.4", "drawn=1.2.3.4&said=1.9.1.x"):
        assert as_agent.get(f"{path(submitted)}news/?{query}", headers=HTMX).status_code == 204, query
