"""The queue holds what was submitted, the longest waiting first, as its address says."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from formation_portal import workflow
from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.contract.lifecycle import State
from formation_portal.desk.models import Case, Offer, Opening
from formation_portal.desk.queue import claims, pages
from formation_portal.desk.queue.pages import QueueVersion
from formation_portal.reviews.checklist import load_checklist
from formation_portal.reviews.checks import reopen
from formation_portal.reviews.queries import write_note
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target
from formation_portal.reviews.transactions import current_version
from tests import factories
from tests.desk.decision_setup import case_page, take_over
from tests.desk.factories import news_address, page, references, references_on, searched, submitted_ones
from tests.desk.review_rounds import accept_at, ask_at, rename, return_it
from tests.markup import Markup


def test_a_draft_is_not_there_and_a_submitted_application_is(complete: Draft, owner: Any, as_agent: Client) -> None:
    assert references(as_agent) == []
    assert not Case.objects.exists()
    assert "All caught up" in as_agent.get("/desk/").content.decode()
    services.submit(complete, by=owner)
    html = as_agent.get("/desk/").content.decode()
    assert references(as_agent) == [complete.application.reference]
    assert "Larkfield Holdings" in html
    assert "1 person or company, 1 document" in html
    assert "Ingrid Solheim" in html
    assert "0 of 4" in html


@pytest.fixture
def _short_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "A_PAGE", 5)


@pytest.mark.usefixtures("_short_pages")
@pytest.mark.parametrize("order", ["", "&sort=newest"])
def test_its_pages_follow_each_other_without_a_gap(owner: Any, as_agent: Client, order: str) -> None:
    submitted_ones(owner, 13)
    pages, address = [], f"?view=unclaimed{order}"
    for _ in range(3):
        markup = page(as_agent, address)
        pages.append(references_on(markup))
        address = next((one.attributes["href"].removeprefix("/desk/") for one in markup.all("a", rel="next")), "")
    assert [len(one) for one in pages] == [5, 5, 3]
    assert len({one for found in pages for one in found}) == 13
    back = markup.one("a", rel="prev").attributes["href"].removeprefix("/desk/")
    assert references(as_agent, back) == pages[1]


@pytest.mark.usefixtures("_short_pages")
def test_a_page_goes_on_behind_a_case_that_has_left_the_view(owner: Any, agent: Any, as_agent: Client) -> None:
    submitted_ones(owner, 8)
    markup = page(as_agent, "?view=unclaimed")
    following = markup.one("a", rel="next").attributes["href"].removeprefix("/desk/")
    before = references(as_agent, following)
    first = [int(one.attributes["value"]) for one in markup.all("input", name="case")]
    Case.objects.filter(pk__in=first).update(claimed_by=agent, claimed_at=timezone.now())
    assert references(as_agent, following) == before


def test_an_address_that_cannot_be_read_filters_nothing(owner: Any, as_agent: Client) -> None:
    [case] = submitted_ones(owner, 1)
    for address in (
        "?after=nonsense",
        "?view=x&state=x&holder=x&sort=x",
        "?after=9-9-9",
        "?after=5",
        f"?after={'9' * 18}-1",
    ):
        assert references(as_agent, address) == [case.reference], address


def test_the_saved_views_hold_what_they_say(owner: Any, agent: Any, as_agent: Client) -> None:
    [new] = submitted_ones(owner, 1)
    [old] = submitted_ones(owner, 1, first_days=9)
    [answered] = submitted_ones(owner, 1, first_days=1, submissions=2)
    [mine] = submitted_ones(owner, 1, first_days=2, state=State.IN_REVIEW)
    [theirs] = submitted_ones(owner, 1, first_days=3, state=State.RETURNED_FOR_CHANGES)
    [closed] = submitted_ones(owner, 1, state=State.WITHDRAWN)
    Case.objects.filter(pk=mine.pk).update(claimed_by=agent, claimed_at=timezone.now())
    expected = {
        "waiting": [old, mine, answered, new],
        "mine": [mine],
        "unclaimed": [old, answered, new],
        "answered": [answered],
        "overdue": [old],
        "all": [old, theirs, mine, answered, new],
        "closed": [closed],
    }
    for view, cases in expected.items():
        assert references(as_agent, f"?view={view}") == [one.reference for one in cases], view
    newest_first = [new, answered, mine, theirs, old]
    assert references(as_agent, "?view=all&sort=newest") == [one.reference for one in newest_first]
    markup = page(as_agent)
    views = [one for one in markup.all("a") if any("Saved views" in up.attributes.values() for up in one.ancestors)]
    assert [one.text.rsplit(" ", 1)[1] for one in views] == [str(len(cases)) for cases in expected.values()]


def test_overdue_is_what_was_with_us_longer_than_its_product_takes(owner: Any, as_agent: Client, settings: Any) -> None:
    """The product takes 5 days, which are 4 working days; any 7 days have 5 of them, and 3 have 3 at most."""
    [overdue] = submitted_ones(owner, 1, first_days=7)
    submitted_ones(owner, 1, first_days=3)
    submitted_ones(owner, 1, first_days=9, state=State.RETURNED_FOR_CHANGES)
    assert references(as_agent, "?view=overdue") == [overdue.reference]
    text = page(as_agent, "?view=overdue").one("main").text
    assert "5 of 4" in text
    assert "With us for longer than the timeline of the company type" in text
    # The days stand still while the customer has it, and go on from there.
    _record(overdue, state=State.RETURNED_FOR_CHANGES)
    assert references(as_agent, "?view=overdue") == []
    Case.objects.filter(pk=overdue.pk).update(submitted_at=timezone.now() - timedelta(days=60))
    _record(overdue, state=State.SUBMITTED_FOR_REVIEW, submissions=2, submitted_at=timezone.now())
    assert references(as_agent, "?view=overdue") == [overdue.reference]
    # Without a timeline it may take what the setting says.
    settings.OVERDUE_DAYS = 6
    _record(overdue, product=overdue.product | {"estimated_timeline": "As long as it takes"})
    assert references(as_agent, "?view=overdue") == []
    assert "5 of 6" in as_agent.get("/desk/").content.decode()


def test_no_readers_zone_moves_the_day_that_a_case_is_due(owner: Any) -> None:
    """The case is due when a day of the operator begins, though a customer's request computes it."""
    [application] = submitted_ones(owner, 1)
    with timezone.override("Pacific/Pago_Pago"):
        _record(application)
    due = Case.objects.get(pk=application.pk).overdue_at
    assert due is not None
    assert timezone.localtime(due).strftime("%H:%M") == "00:00"


def test_each_row_says_when_it_is_due_by_the_day_of_the_time_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Submitted on a Monday, of whose week the 28th and 29th are no working days."""
    monday = datetime(2026, 11, 23, 9, tzinfo=UTC)
    for target, now, zone, words in (
        (4, "23T09:00", "UTC", "Due 26 Nov"),
        (4, "26T09:00", "UTC", "Due today"),
        (4, "28T09:00", "UTC", "1 day overdue"),
        (4, "30T09:00", "UTC", "2 days overdue"),
        (5, "28T09:00", "UTC", "Due 27 Nov"),
        (2, "23T10:30", "UTC", "Due 24 Nov"),
        # There Tuesday began fifteen minutes ago, and the case came in on Monday.
        (2, "23T10:30", "Pacific/Chatham", "Due today"),
    ):
        moment = datetime.fromisoformat(f"2026-11-{now}+00:00")
        monkeypatch.setattr(timezone, "now", lambda moment=moment: moment)
        case = Case(waiting_since=monday, target_days=target, submitted_at=monday)
        with timezone.override(zone):
            assert pages.CaseClock(case).words == words, (target, now, zone)


def test_the_days_that_a_case_waited_are_those_of_the_time_zone(owner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    # From Monday to Tuesday, which ended on Chatham a quarter of an hour ago.
    monday, tuesday = datetime(2026, 11, 23, 9, tzinfo=UTC), datetime(2026, 11, 24, 10, 30, tzinfo=UTC)
    [application] = submitted_ones(owner, 1)
    _record(application, submitted_at=monday)
    Case.objects.update(waiting_since=monday, waited_days=0)
    monkeypatch.setattr(timezone, "now", lambda: tuesday)
    with timezone.override("Pacific/Chatham"):
        _record(application, state=State.RETURNED_FOR_CHANGES)
    assert Case.objects.get().waited_days == 2


def _record(application: Application, **facts: Any) -> None:
    if facts:
        Application.objects.filter(pk=application.pk).update(**facts)
    with transaction.atomic():
        fresh = Application.objects.get(pk=application.pk)
        workflow.application_changed(open_draft(fresh))


def test_a_state_and_an_agent_are_picked_and_removed(owner: Any, agent: Any, as_agent: Client) -> None:
    [new] = submitted_ones(owner, 1)
    [reviewed] = submitted_ones(owner, 1, state=State.IN_REVIEW)
    [closed] = submitted_ones(owner, 1, state=State.REJECTED)
    Case.objects.filter(pk=reviewed.pk).update(claimed_by=agent, claimed_at=timezone.now())
    assert references(as_agent, "?state=in_review") == [reviewed.reference]
    assert references(as_agent, "?state=submitted_for_review") == [new.reference]
    assert references(as_agent, "?state=rejected") == [closed.reference]
    assert references(as_agent, f"?holder={agent.pk}") == [reviewed.reference]
    assert references(as_agent, "?holder=nobody") == [new.reference]
    chips = page(as_agent, f"?state=in_review&holder={agent.pk}&sort=newest").all("a", class_="chip")
    assert [one.attributes["href"] for one in chips] == [
        f"/desk/?holder={agent.pk}&sort=newest",
        "/desk/?state=in_review&sort=newest",
    ]


def test_more_cases_cost_no_more_queries(owner: Any, agent: Any, as_agent: Client) -> None:
    costs = []
    asked = f"?view=mine&q=ingrid+solheim&state=submitted_for_review&holder={agent.pk}"
    query = searched(as_agent, asked)
    for _ in range(2):
        for application in submitted_ones(owner, 5):
            Case.objects.filter(pk=application.pk).update(claimed_by=agent, claimed_at=timezone.now())
        with CaptureQueriesContext(connection) as captured:
            as_agent.get(f"/desk/{query}")
        costs.append(len(captured))
    assert costs[0] == costs[1] <= 12


def test_agents_land_on_their_queue_and_customers_on_their_applications(agent: Any, owner: Any) -> None:
    for person, place in ((agent, "/desk/"), (owner, "/applications/")):
        person.set_password("formation-demo")
        person.save()
        answer = Client().post("/accounts/login/", {"login": person.email, "password": "formation-demo"})
        assert answer["Location"] == place


def moved_to(application: Application, *, place: str, product: str) -> None:
    product_document = application.product | {
        "jurisdiction": {"name": place},
        "product": {"name": f"{product} of {place}"},
    }
    Application.objects.filter(pk=application.pk).update(product=product_document, product_id=f"{product}-{place}")
    Case.objects.filter(pk=application.pk).delete()
    workflow.application_changed(open_draft(Application.objects.get(pk=application.pk)))


@pytest.fixture
def cases(owner: Any) -> list[Application]:
    """Two companies and a trust in Nevis, and a company in Zug; the longest waiting first."""
    made = submitted_ones(owner, 4)[::-1]
    for one, product, place in zip(made, ("Co", "Co", "Trust", "Co"), ("Nevis", "Nevis", "Nevis", "Zug"), strict=True):
        moved_to(one, place=place, product=product)
    return made


def options(client: Client, name: str, query: str = "") -> list[str]:
    return [one.text for one in page(client, query).all("option") if one.ancestors[-1].attributes["name"] == name]


def test_a_place_and_a_product_narrow_the_queue(cases: list[Application], as_agent: Client) -> None:
    named = [one.reference for one in cases]
    assert references(as_agent, "?place=Nevis") == named[:3]
    assert references(as_agent, "?product=Co-Nevis") == named[:2]
    assert references(as_agent, "?place=Zug&view=unclaimed&q=ingrid") == named[3:]
    assert references(as_agent, "?place=Zug&product=Co-Nevis") == []
    for view, is_there in (("mine", 0), ("unclaimed", 1), ("answered", 0), ("overdue", 0), ("all", 1)):
        assert references(as_agent, f"?view={view}&place=Nevis&product=Trust-Nevis") == named[2:3] * is_there, view
    chips = page(as_agent, "?place=Nevis&product=Trust-Nevis").all("a", class_="chip")
    assert [(one.text, one.attributes["href"]) for one in chips] == [
        ("Nevis, remove", "/desk/?product=Trust-Nevis"),
        ("Trust of Nevis, remove", "/desk/?place=Nevis"),
    ]
    Offer.objects.filter(place="British Virgin Islands").delete()
    assert options(as_agent, "place") == ["Any", "Nevis", "Zug"]
    assert options(as_agent, "product") == ["Any", "Co of Nevis, Nevis", "Trust of Nevis, Nevis", "Co of Zug, Zug"]
    assert options(as_agent, "product", "?place=Zug") == ["Any", "Co of Zug, Zug"]
    both = options(as_agent, "product", "?place=Zug&product=Co-Nevis")
    assert both == ["Any", "Co of Nevis, Nevis", "Co of Zug, Zug"]
    # A place that nobody knows finds nothing.
    assert references(as_agent, "?place=Atlantis%00") == []
    assert "Atlantis, remove" in as_agent.get("/desk/?place=Atlantis").content.decode()


# Each row says how many checks are done, and whether others have changed the case since one has looked at it.


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
