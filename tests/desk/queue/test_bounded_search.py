"""Where every word is common the queue is looked through so far and no further; the page says so, and leads on."""

from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from django.test import Client

from formation_portal.applications.models import Application
from formation_portal.desk.models import Case, CaseWord
from formation_portal.desk.queue import pages as queue_page
from formation_portal.desk.queue import search
from formation_portal.desk.queue.queue_index import stored_digests
from formation_portal.desk.queue_state import QueuePosition
from tests.desk.factories import page, page_after_post, references, searched, submitted_ones
from tests.markup import Markup

pytestmark = pytest.mark.django_db(databases=["default", "service"])


@pytest.fixture
def cases(owner: Any, monkeypatch: pytest.MonkeyPatch) -> list[Application]:
    """Twelve, the longest waiting first; "alpha" are the first and every third, "beta" the last and every third."""
    monkeypatch.setattr(search, "_MAX_SORTED", 2)
    monkeypatch.setattr(search, "_MAX_SCANNED", 4)
    made = submitted_ones(owner, 12)[::-1]
    alpha, beta = (stored_digests(word)[0] for word in ("alpha", "beta"))
    words = [(one, alpha) for one in made[::3]] + [(one, beta) for one in (*made[1::3], made[6])]
    CaseWord.objects.bulk_create(CaseWord(case_id=one.pk, word=word) for one, word in words)
    return made


def walked(client: Client, query: str, rel: str) -> list[list[str]]:
    """The cases of every page from there on, by the links that lead on."""
    pages, address = [], query
    while address:
        markup = page(client, address)
        pages.append([one.text for one in markup.all("span", class_="nowrap") if one.text.startswith("FP-")])
        address = next((one.attributes["href"].removeprefix("/desk/") for one in markup.all("a", rel=rel)), "")
    return pages


def search_more_links(markup: Markup) -> list[str]:
    return [one.attributes["href"] for one in markup.all("a") if one.text == "Search more"]


def test_what_no_case_near_has_is_found_by_looking_on(cases: list[Application], as_agent: Client) -> None:
    markup = page(as_agent, "?q=alpha+beta")
    assert "No matching cases so far." in markup.one("main").text
    assert "Searched 4 cases." in markup.one("main").text
    assert search_more_links(markup) == [markup.one("a", rel="next").attributes["href"]]
    assert walked(as_agent, "?q=alpha+beta", "next") == [[], [cases[6].reference], []]


def test_the_last_look_says_that_it_was_the_last(cases: list[Application], as_agent: Client) -> None:
    end = page(as_agent, "?q=alpha+beta")
    while links := search_more_links(end):
        end = page(as_agent, links[0].removeprefix("/desk/"))
    assert search_more_links(end) == []
    assert "Searched" not in end.one("main").text
    assert "No more cases." in end.one("main").text
    assert end.all("a", rel="next") == []


@pytest.mark.parametrize("query", ["?q=alpha+ingrid", "?q=alpha+ingrid&view=unclaimed", "?q=beta+ingrid&holder=nobody"])
def test_nothing_is_left_out_or_shown_twice(cases: list[Application], as_agent: Client, query: str) -> None:
    digests = stored_digests(query[3:].partition("+")[0])
    fitting = set(CaseWord.objects.filter(word__in=digests).values_list("case__application__reference", flat=True))
    expected = [one.reference for one in cases if one.reference in fitting]
    assert [one for found in walked(as_agent, query, "next") for one in found] == expected
    newest = [one for found in walked(as_agent, f"{query}&sort=newest", "next") for one in found]
    assert newest == expected[::-1]


def test_one_looks_back_in_the_same_way(
    cases: list[Application], as_agent: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue_page, "A_PAGE", 1)
    expected = [[one.reference] for one in cases[::3]]
    pages = [one for one in walked(as_agent, "?q=alpha+ingrid", "next") if one]
    assert pages == expected
    case = Case.objects.get(pk=cases[11].pk)
    last = f"?q=alpha+ingrid&before={QueuePosition(case.submitted_at, case.pk)}"
    assert [one for one in walked(as_agent, last, "prev") if one] == expected[::-1]


def test_cases_of_the_same_moment_are_neither_lost_nor_duplicated(cases: list[Application], as_agent: Client) -> None:
    at = Case.objects.get(pk=cases[0].pk).submitted_at
    Case.objects.update(submitted_at=at, open_since=at, waiting_since=at)
    expected = sorted((one.pk, one.reference) for one in cases[::3])
    found = [one for shown in walked(as_agent, "?q=alpha+ingrid", "next") for one in shown]
    assert found == [reference for _, reference in expected]


def test_a_rare_word_is_looked_up_wherever_its_case_stands(cases: list[Application], as_agent: Client) -> None:
    CaseWord.objects.create(case_id=cases[10].pk, word=stored_digests("gamma")[0])
    markup = page(as_agent, "?q=alpha+gamma")
    assert "Searched" not in markup.one("main").text
    assert references(as_agent, "?q=ingrid+gamma") == [cases[10].reference]


def test_the_next_case_is_looked_for_as_far_and_no_further(cases: list[Application], as_agent: Client) -> None:
    shown = searched(as_agent, "?q=alpha+beta")
    response = as_agent.post("/desk/next-case/", {"shown": shown})
    assert response["Location"] == f"/desk/{shown}"
    landed = page(as_agent, shown)
    assert "No match among the 4 unassigned cases that have waited longest." in landed.one("main").text
    assert search_more_links(landed) != []
    assert not Case.objects.exclude(claimed_by=None).exists()


@pytest.mark.parametrize("view", ["", "&view=overdue", "&view=answered"])
def test_the_next_case_is_found_near_and_among_the_last_ones(
    cases: list[Application], as_agent: Client, view: str
) -> None:
    long_ago = F("submitted_at") - timedelta(days=30)
    Case.objects.update(waiting_since=long_ago, answered_since=long_ago, overdue_at=long_ago)
    shown = searched(as_agent, f"?q=alpha+ingrid{view}")
    opened = [as_agent.post("/desk/next-case/", {"shown": shown})["Location"] for _ in range(2)]
    assert [one.split("/")[2] for one in opened] == [cases[0].reference, cases[3].reference]
    Case.objects.exclude(pk__in=[one.pk for one in cases[5:8]]).update(
        waiting_since=None, answered_since=None, overdue_at=None
    )
    shown = searched(as_agent, f"?q=alpha+beta{view}")
    found = as_agent.post("/desk/next-case/", {"shown": shown})["Location"]
    assert found.split("/")[2] == cases[6].reference
    assert "No unassigned cases match." in page_after_post(as_agent, "/desk/next-case/", {"shown": shown})
