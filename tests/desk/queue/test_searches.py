"""What agents search for is posted and stands in no address; the session keeps it, encrypted and bounded."""

import re
from typing import Any
from urllib.parse import unquote

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import reverse

from formation_portal.accounts.sessions import SessionStore
from formation_portal.applications.draft import Draft
from formation_portal.core import encryption
from formation_portal.desk.models import Case
from formation_portal.desk.queue import searches
from tests.desk.factories import page, references, searched, submitted_ones
from tests.markup import Markup

pytestmark = pytest.mark.django_db(databases=["default", "service"])

ENDED = "This search has ended"
WORDS = "Larkfield"


def search(client: Client, words: str, **more: str) -> str:
    """Post the form of the queue as it is drawn; the address that it leads to."""
    response = client.post("/desk/", {"q": words, **more})
    assert response.status_code == 302
    return str(response["Location"])


def addresses_in(html: str) -> list[str]:
    """Every address of a page, and what its forms carry along as one."""
    named = re.findall(r'\b(?:href|action|formaction|src|hx-get|hx-post)="([^"]*)"', html)
    return [unquote(one) for one in (*named, *re.findall(r'name="shown" value="([^"]*)"', html))]


def test_a_search_without_a_token_is_refused(agent: Any) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(agent)
    assert client.post("/desk/", {"q": WORDS}).status_code == 403


def test_no_address_has_the_words(
    submitted: Draft, owner: Any, as_agent: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither of the queue, its pages, filters and views, nor of a case, its parties, its forms and the way back."""
    monkeypatch.setattr("formation_portal.desk.queue.pages.A_PAGE", 1)
    submitted_ones(owner, 2)
    where = search(as_agent, "Ingrid Solheim", sort="newest", holder="nobody")
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
    where = search(as_agent, "nobody")
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
    first = search(as_agent, "first")
    second = search(as_agent, "second")
    for number in range(searches.MAX_SEARCHES - 2):
        search(as_agent, f"other{number}")
    assert search(as_agent, "first") == first
    search(as_agent, "one more")
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
    assert search(as_agent, "  ", view="unclaimed") == "/desk/?view=unclaimed", "nothing typed searches for nothing"
    assert "desk_searches" not in as_agent.session
    where = search(as_agent, WORDS)
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


def test_a_search_after_the_session_has_ended_comes_back_to_be_sent_again(agent: Any, as_nobody: Client) -> None:
    as_nobody.post("/desk/", {"q": WORDS})
    as_nobody.force_login(agent)
    assert WORDS in as_nobody.get(reverse("portal:unsent")).content.decode()
