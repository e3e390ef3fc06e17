"""A case is found by its company, its people, its customer and its reference, however they are spelled."""

import logging
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import unquote

import pytest
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from django.contrib.sessions.models import Session
from django.db import connection, transaction
from django.db.models import F
from django.test import Client
from django.urls import reverse

from formation_portal import workflow
from formation_portal.accounts.sessions import SessionStore
from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.contract.lifecycle import State
from formation_portal.core import encryption
from formation_portal.desk.models import Case, CaseWord
from formation_portal.desk.queue import pages as queue_page
from formation_portal.desk.queue import search, searches
from formation_portal.desk.queue.queue_index import search_words, stored_digests
from formation_portal.desk.queue.search import search_prefixes
from formation_portal.desk.queue_state import QueuePosition
from formation_portal.management.commands.agent import add_agent
from tests import factories
from tests.campaigns.bench import desk
from tests.desk.factories import page, page_after_post, references, searched, submitted_ones, walked
from tests.desk.review_rounds import change_ada, rename
from tests.markup import Markup
from tests.subscribing import subscribe


def _words(case: Application) -> set[bytes]:
    return {bytes(word) for word in CaseWord.objects.filter(case=case.pk).values_list("word", flat=True)}


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("Łódź Øresund Æther", "lodz oresund aether"),
        ("Jean-Luc O'Brien", "jeanluc obrien brien luc"),
        ("Quintral S.R.L.", "SRL quint"),
        ("Straße der Einheit", "STRASSE"),
        ("山田 太郎", "山"),
        ("Ｆｕｌｌ ﬁne", "full fin"),
    ],
)
def test_words_are_the_same_for_any_spelling(name: str, typed: str) -> None:
    words = search_words([name])
    assert search_prefixes(typed)
    assert all(words & set(stored_digests(beginning)) for beginning in search_prefixes(typed))


def test_a_case_is_found_also_once_it_is_closed(
    submitted: Draft, owner: Any, other_customer: Any, as_agent: Client
) -> None:
    submitted_ones(other_customer, 1)
    reference = submitted.application.reference
    typed_references = (reference[:9].lower(), reference.replace("-", ""))
    for typed in ("larkfield", "LÀRK hold", "ada", "Lovelace Ada", "Ingrid", "owner@example.com", *typed_references):
        assert references(as_agent, f"?q={typed}") == [reference], typed
        assert references(as_agent, f"?q={typed}+nobody") == []
    assert references(as_agent, "?q=%21%21") == [], "what holds no letter finds nothing"
    services.withdraw(submitted, by=owner)
    assert reference not in references(as_agent)
    assert references(as_agent, "?q=larkfield") == [reference]


def test_a_correction_is_found_at_once_beside_what_it_replaced(submitted: Draft, owner: Any, as_agent: Client) -> None:
    services.reopen(submitted, reason="Returned")
    rename(submitted, "Kestrel", owner)
    change_ada(submitted, owner, {"person.last_name": "Wilgenhof"})
    named = [submitted.application.reference]
    for word in ("kestrel", "larkfield", "wilgenhof", "lovelace"):
        assert references(as_agent, f"?q={word}") == named
    services.submit(factories.again(submitted), by=owner)
    assert references(as_agent, "?q=kestrel+wilgenhof") == named
    assert references(as_agent, "?q=larkfield") == references(as_agent, "?q=lovelace") == []
    assert _words(submitted.application) == _words_made_anew(submitted)


def test_a_customers_new_name_is_found_at_once(
    submitted: Draft, owner: Any, other_customer: Any, as_agent: Client
) -> None:
    named, [other] = [submitted.application.reference], submitted_ones(other_customer, 1)
    before = _words(other)
    address = EmailAddress.objects.create(user=owner, email="ada@kestrel.example")
    factories.browser_of(owner).post(reverse("account_confirm_email", args=[EmailConfirmationHMAC(address).key]))
    assert references(as_agent, "?q=ada@kestrel.example") == named
    assert references(as_agent, "?q=owner@example.com") == []
    add_agent("ada@kestrel.example", last_name="Falco", rights=())
    assert references(as_agent, "?q=falco") == named
    assert references(as_agent, f"?q={owner.last_name}") == []
    assert references(as_agent, "?q=ada+lovelace") == named, "somebody else in it has that name"
    assert _words(submitted.application) == _words_made_anew(submitted)
    assert _words(other) == before


def _words_made_anew(case: Draft) -> set[bytes]:
    CaseWord.objects.filter(case=case.application.pk).delete()
    workflow.application_changed(open_draft(Application.objects.get(pk=case.application.pk)))
    return _words(case.application)


def test_a_change_that_fails_changes_no_case(submitted: Draft, owner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    before = _words(submitted.application)

    def fail(draft: Draft, change: Any) -> None:
        raise RuntimeError

    subscribe(monkeypatch, "application_changed", fail)
    with pytest.raises(RuntimeError):
        services.withdraw(submitted, by=owner)
    assert Case.objects.get(pk=submitted.application.pk).state == State.SUBMITTED_FOR_REVIEW
    assert _words(submitted.application) == before


def test_no_log_of_ours_holds_what_was_searched_for(
    as_agent: Client, as_owner: Client, as_nobody: Client, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for client in (as_agent, as_owner, as_nobody):
        client.get("/desk/?q=Solheim")
        client.get("/desk/nothing/?q=Solheim")
        client.post("/desk/", {"q": "Solheim"}, follow=True)
    messages = [record.getMessage() for record in caplog.records if not record.name.startswith("django.db")]
    assert any("/desk/" in line for line in messages)
    assert any("GET desk:queue 200" in line for line in messages)
    assert not any("Solheim" in line for line in messages)


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


def search_more_links(markup: Markup) -> list[str]:
    return [one.attributes["href"] for one in markup.all("a") if one.text == "Search more"]


def test_what_no_case_near_has_is_found_by_looking_on(cases: list[Application], as_agent: Client) -> None:
    markup = page(as_agent, "?q=alpha+beta")
    assert "No matching cases so far." in markup.one("main").text
    assert "Searched 4 cases." in markup.one("main").text
    assert search_more_links(markup) == [markup.one("a", rel="next").attributes["href"]]
    assert walked(as_agent, "?q=alpha+beta") == [[], [cases[6].reference], []]
    shown = searched(as_agent, "?q=alpha+beta")
    response = as_agent.post("/desk/next-case/", {"shown": shown})
    assert response["Location"] == f"/desk/{shown}"
    landed = page(as_agent, shown)
    assert "No match among the 4 unassigned cases that have waited longest." in landed.one("main").text
    assert search_more_links(landed) != []
    assert not Case.objects.exclude(claimed_by=None).exists()


@pytest.mark.parametrize("query", ["?q=alpha+ingrid", "?q=alpha+ingrid&view=unclaimed", "?q=beta+ingrid&holder=nobody"])
def test_nothing_is_left_out_or_shown_twice(cases: list[Application], as_agent: Client, query: str) -> None:
    digests = stored_digests(query[3:].partition("+")[0])
    fitting = set(CaseWord.objects.filter(word__in=digests).values_list("case__application__reference", flat=True))
    expected = [one.reference for one in cases if one.reference in fitting]
    assert [one for found in walked(as_agent, query) for one in found] == expected
    newest = [one for found in walked(as_agent, f"{query}&sort=newest") for one in found]
    assert newest == expected[::-1]


def test_looking_back_is_the_same(cases: list[Application], as_agent: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue_page, "A_PAGE", 1)
    expected = [[one.reference] for one in cases[::3]]
    pages = [one for one in walked(as_agent, "?q=alpha+ingrid") if one]
    assert pages == expected
    case = Case.objects.get(pk=cases[11].pk)
    last = f"?q=alpha+ingrid&before={QueuePosition(case.submitted_at, case.pk)}"
    assert [one for one in walked(as_agent, last, "prev") if one] == expected[::-1]
    at = Case.objects.get(pk=cases[0].pk).submitted_at
    Case.objects.update(submitted_at=at, open_since=at, waiting_since=at)
    expected = sorted((one.pk, one.reference) for one in cases[::3])
    found = [one for shown in walked(as_agent, "?q=alpha+ingrid") for one in shown]
    assert found == [reference for _, reference in expected]


@pytest.mark.parametrize("view", ["", "&view=overdue", "&view=answered"])
def test_the_next_case_is_found_near_and_far(cases: list[Application], as_agent: Client, view: str) -> None:
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


ENDED = "This search has ended"
WORDS = "Larkfield"


def post_search(client: Client, words: str, **more: str) -> str:
    response = client.post("/desk/", {"q": words, **more})
    assert response.status_code == 302
    return str(response["Location"])


def addresses_in(html: str) -> list[str]:
    """Every address of a page, and what its forms carry along as one."""
    named = re.findall(r'\b(?:href|action|formaction|src|hx-get|hx-post)="([^"]*)"', html)
    return [unquote(one) for one in (*named, *re.findall(r'name="shown" value="([^"]*)"', html))]


def test_a_search_needs_a_token_and_a_session_or_comes_back_to_be_sent_again(agent: Any, as_nobody: Client) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(agent)
    assert client.post("/desk/", {"q": WORDS}).status_code == 403
    as_nobody.post("/desk/", {"q": WORDS})
    as_nobody.force_login(agent)
    assert WORDS in as_nobody.get(reverse("portal:unsent")).content.decode()


def test_no_address_has_a_word(submitted: Draft, owner: Any, as_agent: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither of the queue, its pages, filters and views, nor of a case, its parties, its forms and the way back."""
    monkeypatch.setattr("formation_portal.desk.queue.pages.A_PAGE", 1)
    submitted_ones(owner, 2)
    where = post_search(as_agent, "Ingrid Solheim", sort="newest", holder="nobody")
    assert re.fullmatch(r"/desk/\?search=[\w-]{12}&holder=nobody&sort=newest", where)
    queue = as_agent.get(where).content.decode()
    assert "“Ingrid Solheim”, remove" in queue, "the page says what is searched for"
    assert Markup(queue).all("a", rel="next")
    case = f"/desk/{submitted.application.reference}/?from={where.partition('/desk/')[2].replace('&', '%26')}"
    party = reverse("desk:party", args=[submitted.application.reference, submitted.parties[0].token])
    shown = [queue, *(as_agent.get(one).content.decode() for one in (case, party + "?" + case.partition("?")[2]))]
    for html in shown:
        found = addresses_in(html)
        assert [one for one in found if "search=" in one], "it goes along"
        assert not [one for one in found if "ingrid" in one.lower() or "solheim" in one.lower()]


def test_a_search_that_is_not_there_shows_the_list_unsearched_and_says_so(
    owner: Any, as_agent: Client, as_colleague: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = submitted_ones(owner, 2)
    where = post_search(as_agent, "nobody")
    # Keys are read again only for a text under an unknown key, not for each search that is missing.
    monkeypatch.setattr(encryption, "read_ring_again", None)
    assert references(as_agent, where.removeprefix("/desk/")) == []
    addresses = ((as_colleague, where), (as_agent, "/desk/?search=abcdefghijkl"), (as_agent, "/desk/?q=nobody"))
    for client, address in addresses:
        markup = Markup(client.get(address).content.decode())
        assert ENDED in markup.one("main").text
        assert "nobody" not in markup.one("main").text
        assert {case.reference for case in cases} <= {cell.text for cell in markup.all("span", class_="nowrap")}
        assert {form.attributes["value"] for form in markup.all("input", name="shown")} == {""}, "and goes no further"


def test_the_newest_searches_stay_and_one_that_is_used_again_is_new(as_agent: Client) -> None:
    first = post_search(as_agent, "first")
    second = post_search(as_agent, "second")
    for number in range(searches.MAX_SEARCHES - 2):
        post_search(as_agent, f"other{number}")
    assert post_search(as_agent, "first") == first
    post_search(as_agent, "one more")
    assert len(as_agent.session["desk_searches"]) == searches.MAX_SEARCHES
    assert ENDED not in as_agent.get(first).content.decode()
    assert ENDED in as_agent.get(second).content.decode()


def test_an_ended_search_takes_no_case_and_hears_of_nothing(owner: Any, as_agent: Client) -> None:
    submitted_ones(owner, 1)
    where = searched(as_agent, "?q=ingrid")
    news = page(as_agent, where).one("p", id="news").attributes["hx-get"]
    session = as_agent.session
    del session["desk_searches"]
    session.save()
    response = as_agent.post("/desk/next-case/", {"shown": where}, follow=True)
    assert ENDED in response.content.decode()
    assert not Case.objects.exclude(claimed_by=None).exists()
    submitted_ones(owner, 1)
    old = news.replace(news.partition("token=")[2], "1.0.0")
    assert as_agent.get(old, headers={"HX-Request": "true"}).status_code == 204


def test_the_words_are_encrypted_in_the_session_bound_to_its_agent_and_gone_with_it(
    as_agent: Client, as_colleague: Client, agent: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert post_search(as_agent, "  ", view="unclaimed") == "/desk/?view=unclaimed", (
        "nothing typed searches for nothing"
    )
    assert "desk_searches" not in as_agent.session
    where = post_search(as_agent, WORDS)
    [kept] = as_agent.session["desk_searches"].items()
    assert WORDS.lower() not in str(as_agent.session.load()).lower()
    assert all(WORDS not in str(SessionStore.from_row(one.session_key).items()) for one in Session.objects.all())
    assert encryption.decrypt(kept[1], f"desk search\x1f{agent.pk}\x1f{kept[0]}").decode() == WORDS
    # Whoever puts it into another agent's session reads nothing there.
    session = as_colleague.session
    session["desk_searches"] = dict([kept])
    session.save()
    assert ENDED in as_colleague.get(where).content.decode()

    def unreadable(*_: Any) -> bytes:
        raise encryption.UnreadableError

    with monkeypatch.context() as without_key:
        without_key.setattr(searches, "decrypt", unreadable)
        assert ENDED in as_agent.get(where).content.decode()
    assert ENDED not in as_agent.get(where).content.decode()
    as_agent.post("/accounts/logout/")
    assert Session.objects.count() == 1, "the colleague's"
    as_agent.force_login(agent)
    assert ENDED in as_agent.get(where).content.decode()


_FEW, _MANY = 150, 900
# What it takes to look through as many cases as are looked through for a page, at most.
_STEPS_A_LOOK = 800


def steps(client: Client, query: str) -> int:
    query = searched(client, query)
    return _steps(lambda: client.get(f"/desk/{query}").status_code == 200)


def steps_of_everything(client: Client, owner: Any, agent: Any) -> dict[str, int]:
    """Of each page, of the next case where none fits, and of what is to confirm where almost all is one's own."""
    counted = {name: steps(client, query) for name, query in desk.QUESTIONS.items()}
    shown = searched(client, "?q=given3+given4")
    counted["next"] = _steps(lambda: client.post("/desk/next-case/", {"shown": shown})["Location"] == f"/desk/{shown}")
    with transaction.atomic():
        at = F("submitted_at")
        Case.objects.update(open_since=at, waiting_since=at, confirm_since=at, proposed_by=agent.pk)
        Case.objects.filter(pk=Case.objects.latest("submitted_at").pk).update(proposed_by=owner.pk)
        counted["confirm one's own"] = steps(client, "?view=confirm")
        transaction.set_rollback(True)
    return counted


def _steps(action: Callable[[], bool]) -> int:
    counted = [0]

    def count() -> None:
        counted[0] += 1

    connection.connection.set_progress_handler(count, 10)
    try:
        assert action()
    finally:
        connection.connection.set_progress_handler(None, 0)
    return counted[0]


@pytest.mark.skipif(connection.vendor != "sqlite", reason="not run: only SQLite counts its steps")
def test_many_cases_cost_as_few_do(owner: Any, agent: Any, as_agent: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    # As few and many of thousands, with what is common and how far it is looked in the same proportion.
    monkeypatch.setattr(search, "_MAX_SORTED", 20)
    monkeypatch.setattr(search, "_MAX_SCANNED", 60)
    desk.create_filter_offers()
    desk.fill(owner, _FEW)
    few = steps_of_everything(as_agent, owner, agent)
    desk.fill(owner, _MANY - _FEW)
    many = steps_of_everything(as_agent, owner, agent)
    grown = {name: (few[name], count) for name, count in many.items() if count > 1.5 * few[name] + _STEPS_A_LOOK}
    assert grown == {}
