"""The field's words are explained, with what each jurisdiction calls them, and a form shows those that it uses."""

from typing import Any

import pytest
from django.test import Client
from django.utils import translation

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.service.catalog.loader import read_catalog
from formation_portal.ui.glossary import explained_term, places, term_texts, terms_in
from tests.markup import Markup

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def test_every_place_of_the_catalog_has_words_of_its_own() -> None:
    codes = {item["jurisdiction"]["iso_code"] for item in read_catalog()}
    assert codes <= places().keys()
    assert all(place.words for place in places().values())


def test_what_a_place_calls_it_belongs_to_a_term() -> None:
    assert {key for place in places().values() for key in place.words} <= term_texts().keys()


def test_no_two_terms_are_found_by_the_same_words() -> None:
    phrases = [phrase for word in term_texts().values() for phrase in word.found_in]
    assert len(phrases) == len(set(phrases))


def test_terms_stand_in_the_order_of_the_alphabet() -> None:
    assert list(term_texts()) == sorted(term_texts())


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Directors", ("director",)),
        ("Beneficial owners", ("beneficial-owner",)),
        ("DIRECTOR and registered office", ("director", "registered-office")),
        ("Supervisory directors", ("supervisory-board",)),
        ("Is it redirected?", ()),
        ("First choice of name", ()),
    ],
)
def test_a_forms_own_words_lead_to_terms(text: str, found: tuple[str, ...]) -> None:
    assert terms_in([text]) == found


def test_most_forms_of_the_catalog_use_words_that_are_explained() -> None:
    titles = [section["title"] for item in read_catalog() for section in item["schema"]["sections"]]
    assert sum(bool(terms_in([title])) for title in titles) > 60


def test_a_places_word_is_told_only_where_it_is_another() -> None:
    netherlands, states = places().get("NL"), places().get("US")
    assert explained_term("director", netherlands).local == "bestuurder"
    assert explained_term("director", netherlands).local_language == "nl"
    assert explained_term("member", states).local == ""
    assert explained_term("director", None).local == ""


def test_what_is_not_translated_says_its_language() -> None:
    assert explained_term("director", None).language == ""
    with translation.override("fr"):
        term = explained_term("director", None)
    assert term.language == ("en" if term.meaning == term_texts()["director"].meaning else "")


@pytest.mark.parametrize("path", ["/help/", "/help/NL/"])
def test_the_help_page_explains_every_term(as_nobody: Client, path: str) -> None:
    response = as_nobody.get(path)
    assert response.status_code == 200
    markup = Markup(response.content.decode())
    assert markup.faults == []
    assert {one.attributes.get("id") for one in markup.all("div")} >= term_texts().keys()
    assert ("bestuurder" in response.content.decode()) is (path == "/help/NL/")


def test_a_place_that_there_is_not_has_no_page(as_nobody: Client) -> None:
    assert as_nobody.get("/help/XX/").status_code == 404


def test_help_is_reached_at_the_same_place_of_every_page(as_owner: Client, as_nobody: Client, draft: Draft) -> None:
    root = f"/applications/{draft.application.reference}/"
    for client, path in (
        (as_nobody, "/help/"),
        (as_nobody, "/accounts/login/"),
        (as_owner, root),
        (as_owner, "/nowhere/"),
    ):
        links = [one for one in Markup(client.get(path).content.decode()).all("a") if one.inside("footer")]
        assert [one.attributes["href"] for one in links][:2] == ["mailto:help@formation-portal.example", "/help/"], path


def test_a_form_explains_the_words_that_it_uses_and_leads_to_its_places_page(
    as_owner: Client, draft: Draft, owner: Any
) -> None:
    ada = services.add_party(draft, "person", ["director"], {}, by=owner)
    page = as_owner.get(f"/applications/{draft.application.reference}/people/{ada.token}/").content.decode()
    assert Markup(page).faults == []
    code = draft.application.product["jurisdiction"]["iso_code"]
    assert f'href="/help/{code}/"' in page or 'href="/help/"' in page
    assert term_texts()["pep"].title in page or term_texts()["director"].title in page


def test_a_form_without_such_words_has_no_such_list(as_owner: Client, draft: Draft) -> None:
    page = as_owner.get(f"/applications/{draft.application.reference}/sections/the-company/").content.decode()
    assert "Terms used here" not in page
