"""Which language a page is in, where the choice is kept, and who is never asked."""

from typing import Any

import pytest
from django.conf import settings
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import translation

from formation_portal.accounts.languages import ChosenDisplay
from formation_portal.accounts.models import User
from tests.markup import Markup

pytestmark = pytest.mark.django_db

SIGN_IN = "/accounts/login/"


def heading(client: Client, **headers: str) -> str:
    return Markup(client.get(SIGN_IN, headers=headers).content.decode()).one("h1").text


def choose(client: Client, language: str, page: str = SIGN_IN) -> Any:
    return client.post(reverse("portal:display"), {"language": language, "page": page})


def test_a_choice_comes_back_to_the_page_and_stays(as_nobody: Client) -> None:
    for accepted, text in (("de-CH,de;q=0.9", "Anmelden"), ("fr", "Se connecter"), ("pt", "Sign in")):
        assert heading(as_nobody, **{"accept-language": accepted}) == text
    response = choose(as_nobody, "de", f"{SIGN_IN}?next=/x")
    assert response["Location"] == f"{SIGN_IN}?next=/x"
    assert heading(as_nobody, **{"accept-language": "fr"}) == "Anmelden"
    kept = response.cookies[settings.LANGUAGE_COOKIE_NAME]
    assert (kept.value, kept["httponly"], kept["samesite"]) == ("de", True, "Lax")
    assert kept["max-age"] == 31_536_000, "a year"


@pytest.mark.parametrize("page", ["//elsewhere.example/", "javascript:alert(1)", ""])
def test_a_choice_never_leads_to_another_site(as_nobody: Client, page: str) -> None:
    assert choose(as_nobody, "de", page)["Location"] == "/"


@pytest.mark.parametrize(("status", "is_kept"), [(302, True), (500, False)])
def test_a_choice_is_kept_where_the_answer_is_no_fault(owner: Any, status: int, is_kept: bool) -> None:
    request = RequestFactory().post("/", {"language": "de"})
    request.user, request.offers_languages = owner, True  # type: ignore[attr-defined]  # as the middleware above does
    chosen = ChosenDisplay(lambda _: HttpResponse(status=status))
    with translation.override("en"):
        chosen.process_view(request)
        response = chosen(request)
    assert (settings.LANGUAGE_COOKIE_NAME in response.cookies) is is_kept
    assert User.objects.get().language == ("de" if is_kept else "")


def test_the_page_offers_the_other_languages_and_caches_keep_them_apart(as_nobody: Client) -> None:
    assert settings.LANGUAGE_COOKIE_NAME not in choose(as_nobody, "xx").cookies, "not offered"
    choose(as_nobody, "fr")
    page = as_nobody.get(SIGN_IN)
    assert Markup(page.content.decode()).one("button", value="de", lang="de", form="answers").text == "Deutsch"
    assert {"Accept-Language", "Cookie"} <= {header.strip() for header in page["Vary"].split(",")}


@pytest.mark.parametrize(
    ("own", "chosen", "accepted", "language"),
    [("de", "", "es", "de"), ("de", "fr", "es", "fr"), ("", "", "es", "es")],
    ids=["the account's", "chosen before", "the page's"],
)
def test_who_signs_in_reads_the_language_of_the_account_or_brings_one(
    as_nobody: Client, owner: Any, own: str, chosen: str, accepted: str, language: str
) -> None:
    owner.language = own
    owner.set_password("a long passphrase")
    owner.save()
    if chosen:
        choose(as_nobody, chosen)
    form = {"login": owner.email, "password": "a long passphrase"}
    cookies = as_nobody.post(SIGN_IN, form, headers={"accept-language": accepted}).cookies
    owner.refresh_from_db()
    assert owner.language == language
    assert (settings.LANGUAGE_COOKIE_NAME in cookies) is bool(own and not chosen)


@pytest.mark.django_db(databases=["default", "service"])
def test_agents_and_the_service_are_spoken_to_in_english(as_agent: Client) -> None:
    choose(as_agent, "de")
    desk = as_agent.get("/desk/").content.decode()
    assert '<html lang="en"' in desk
    assert "Deutsch" not in desk
    refusal = as_agent.get("/api/v1/entities", headers={"accept-language": "de"})
    assert refusal.status_code == 401
    assert "API key" in refusal.content.decode()
