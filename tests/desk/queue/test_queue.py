"""The queue holds what was submitted, the longest waiting first, as its address says."""

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
from formation_portal.desk.models import Case, Offer
from formation_portal.desk.queue import pages
from tests.desk.factories import page, references, references_on, searched, submitted_ones


def if_any(client: Client) -> dict[str, str]:
    links = [
        one for one in page(client).all("a") if any("Saved views" in up.attributes.values() for up in one.ancestors)
    ]
    return {one.attributes["href"]: one.text.rsplit(" ", 1)[1] for one in links}


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
    assert list(if_any(as_agent).values()) == [str(len(cases)) for cases in expected.values()]


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
