"""Which theme a page has: chosen without script, kept by a cookie, drawn by the server; and the account menu."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from formation_portal.accounts.languages import THEME_COOKIE
from formation_portal.applications.draft import Draft, open_draft
from tests.journeys.page import Page
from tests.markup import Markup
from tests.portal.pages import section_url

pytestmark = pytest.mark.django_db(databases=["default", "service"])

SIGN_IN = "/accounts/login/"


def page_of(client: Client, address: str = SIGN_IN) -> Markup:
    return Markup(client.get(address).content.decode())


def choose(client: Client, theme: str, page: str = SIGN_IN) -> Any:
    return client.post(reverse("portal:display"), {"theme": theme, "page": page})


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_choice_comes_back_to_the_page_and_stays(as_nobody: Client, theme: str) -> None:
    response = choose(as_nobody, theme, f"{SIGN_IN}?next=/x")
    assert response["Location"] == f"{SIGN_IN}?next=/x"
    kept = response.cookies[THEME_COOKIE]
    assert (kept.value, kept["httponly"], kept["samesite"], kept["max-age"]) == (theme, True, "Lax", 31_536_000)
    page = page_of(as_nobody)
    assert page.one("html").attributes["data-theme"] == theme
    assert page.one("meta", name="color-scheme").attributes["content"] == theme


def test_what_is_no_theme_changes_nothing(as_nobody: Client) -> None:
    assert THEME_COOKIE not in choose(as_nobody, "sepia").cookies
    as_nobody.cookies[THEME_COOKIE] = '"><script>'
    assert "data-theme" not in page_of(as_nobody).one("html").attributes


def test_the_choice_on_a_page_with_answers_saves_them_first(as_owner: Client, draft: Draft) -> None:
    address = section_url(draft)
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


def test_the_page_leads_back_to_the_page_that_led_to_it_and_to_no_other_site(as_nobody: Client) -> None:
    came_from = {"referer": "http://testserver/help/?a=b"}
    page = Page(as_nobody.get("/display/", headers=came_from).content.decode(), "/display/")
    assert ("Back", "/help/?a=b") in [(words.strip(), url) for words, url in page.links()]
    [form] = [one for one in page.forms if one.has_button("Dark")]
    there = as_nobody.post(form.action, dict(form.data(form.button("Dark"))))["Location"]
    again = Page(as_nobody.get(there).content.decode(), there)
    assert ("Back", "/help/?a=b") in [(words.strip(), url) for words, url in again.links()]
    elsewhere = as_nobody.get("/display/", headers={"referer": "http://elsewhere.example/help/"}).content.decode()
    assert ("Back", "/") in [(words.strip(), url) for words, url in Page(elsewhere, "/display/").links()]
    html = as_nobody.get(reverse("portal:display"), {"page": "//elsewhere.example/"}).content.decode()
    assert "elsewhere" not in Markup(html).one("main").text
    assert 'href="//elsewhere' not in html
