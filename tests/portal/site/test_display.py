"""Which theme a page has: chosen without script, kept by a cookie, drawn by the server; and the account menu."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse

from formation_portal.accounts.languages import THEME_COOKIE
from formation_portal.applications.draft import Draft, open_draft
from tests.journeys.page import Page
from tests.markup import Markup

pytestmark = pytest.mark.django_db(databases=["default", "service"])

SIGN_IN = "/accounts/login/"
TEMPLATES = Path(__file__).parents[3] / "templates"


def page_of(client: Client, address: str = SIGN_IN) -> Markup:
    return Markup(client.get(address).content.decode())


def choose(client: Client, theme: str, page: str = SIGN_IN) -> Any:
    return client.post(reverse("portal:display"), {"theme": theme, "page": page})


def test_without_a_choice_the_system_says(as_nobody: Client) -> None:
    page = page_of(as_nobody)
    assert "data-theme" not in page.one("html").attributes
    assert page.one("meta", name="color-scheme").attributes["content"] == "light dark"
    assert [one.text for one in page.all("span", aria_current="true")] == ["English", "System theme"]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_choice_comes_back_to_the_page_and_stays(as_nobody: Client, theme: str) -> None:
    response = choose(as_nobody, theme, f"{SIGN_IN}?next=/x")
    assert response["Location"] == f"{SIGN_IN}?next=/x"
    kept = response.cookies[THEME_COOKIE]
    assert (kept.value, kept["httponly"], kept["samesite"], kept["max-age"]) == (theme, True, "Lax", 31_536_000)
    page = page_of(as_nobody)
    assert page.one("html").attributes["data-theme"] == theme
    assert page.one("meta", name="color-scheme").attributes["content"] == theme


def test_the_systems_theme_is_chosen_back(as_nobody: Client) -> None:
    choose(as_nobody, "dark")
    response = choose(as_nobody, "system")
    assert response.cookies[THEME_COOKIE]["max-age"] == 0
    assert "data-theme" not in page_of(as_nobody).one("html").attributes


def test_what_is_no_theme_changes_nothing(as_nobody: Client) -> None:
    assert THEME_COOKIE not in choose(as_nobody, "sepia").cookies
    as_nobody.cookies[THEME_COOKIE] = '"><script>'
    assert "data-theme" not in page_of(as_nobody).one("html").attributes


def test_caches_keep_the_themes_apart(as_nobody: Client) -> None:
    for address in (SIGN_IN, reverse("portal:display")):
        assert "Cookie" in {one.strip() for one in as_nobody.get(address)["Vary"].split(",")}


def test_the_choice_on_a_page_with_answers_saves_them_first(as_owner: Client, draft: Draft) -> None:
    address = reverse("portal:section", args=[draft.application.reference, "the-company"])
    response = as_owner.post(address, {"q:name": "Larkfield", "version": "0", "theme": "dark"})
    assert response["Location"] == address
    assert response.cookies[THEME_COOKIE].value == "dark"
    assert open_draft(draft.application).entity_raw["entity.name"] == "Larkfield"


def test_a_password_that_comes_along_signs_nobody_in(as_nobody: Client, owner: Any) -> None:
    owner.set_password("a-long-secret")
    owner.save()
    posted = {"login": owner.email, "password": "a-long-secret", "theme": "dark"}
    html = as_nobody.post(SIGN_IN, posted).content.decode()
    assert "_auth_user_id" not in as_nobody.session
    assert owner.email in html
    assert 'data-theme="dark"' in html


def test_the_desk_has_themes_and_no_languages(as_agent: Client) -> None:
    page = page_of(as_agent, "/desk/")
    assert page.one("button", name="theme", value="dark")
    assert not page.all("button", name="language")
    choose(as_agent, "dark", "/desk/")
    assert page_of(as_agent, "/desk/").one("html").attributes["data-theme"] == "dark"


def test_both_are_chosen_on_a_page_of_their_own_with_the_way_back(as_nobody: Client) -> None:
    address = f"{reverse('portal:display')}?page=/help/"
    html = as_nobody.get(address).content.decode()
    assert Markup(html).faults == []
    page = Page(html, address)
    assert ("Back", "/help/") in [(words.strip(), url) for words, url in page.links()]
    [form] = [one for one in page.forms if one.has_button("Dark")]
    assert form.has_button("Deutsch")
    button = form.button("Dark")
    assert as_nobody.post(form.action, dict(form.data(button)))["Location"] == address
    assert page_of(as_nobody, address).one("html").attributes["data-theme"] == "dark"


def test_the_page_leads_back_to_the_page_that_led_to_it(as_nobody: Client) -> None:
    came_from = {"referer": "http://testserver/help/?a=b"}
    page = Page(as_nobody.get("/display/", headers=came_from).content.decode(), "/display/")
    assert ("Back", "/help/?a=b") in [(words.strip(), url) for words, url in page.links()]
    [form] = [one for one in page.forms if one.has_button("Dark")]
    there = as_nobody.post(form.action, dict(form.data(form.button("Dark"))))["Location"]
    again = Page(as_nobody.get(there).content.decode(), there)
    assert ("Back", "/help/?a=b") in [(words.strip(), url) for words, url in again.links()]
    elsewhere = as_nobody.get("/display/", headers={"referer": "http://elsewhere.example/help/"}).content.decode()
    assert ("Back", "/") in [(words.strip(), url) for words, url in Page(elsewhere, "/display/").links()]


def test_the_page_leads_back_also_behind_a_proxy_that_is_not_trusted_with_the_scheme(as_nobody: Client) -> None:
    html = as_nobody.get("/display/", headers={"referer": "https://testserver/help/?a=b"}).content.decode()
    assert ("Back", "/help/?a=b") in [(words.strip(), url) for words, url in Page(html, "/display/").links()]


def test_the_page_leads_back_to_no_other_site(as_nobody: Client) -> None:
    html = as_nobody.get(reverse("portal:display"), {"page": "//elsewhere.example/"}).content.decode()
    assert "elsewhere" not in Markup(html).one("main").text
    assert 'href="//elsewhere' not in html


def test_where_a_page_cannot_be_drawn_again_the_way_to_the_display_is_there() -> None:
    assert Markup(render_to_string("500.html")).one("a", href="/display/").text == "Language and theme"


def test_pages_that_were_drawn_before_still_post_to_the_old_address(as_nobody: Client) -> None:
    assert as_nobody.post("/language/", {"language": "de", "page": SIGN_IN})["Location"] == SIGN_IN


def test_the_menu_of_the_account_has_what_one_does_with_it(as_owner: Client) -> None:
    page = page_of(as_owner, "/applications/")
    button = page.one("button", popovertarget="account")
    assert "Ingrid Solheim" in button.text
    menu = page.one("div", id="account")
    assert "popover" in menu.attributes
    links = [one.attributes["href"] for one in page.all("a") if menu in one.ancestors]
    assert links == ["/accounts/email/", "/accounts/password/change/", "/display/"]
    assert menu in page.one("form", action="/accounts/logout/").ancestors


def test_who_is_not_signed_in_has_no_menu(as_nobody: Client) -> None:
    assert not page_of(as_nobody).all("button", popovertarget="account")


def test_no_template_fills_a_block_that_is_no_more() -> None:
    """It would be left out without a word, and with it what keeps typed answers while the display changes."""
    for path in TEMPLATES.rglob("*.html"):
        assert not re.search(r"block languages|ui/languages", path.read_text()), path
