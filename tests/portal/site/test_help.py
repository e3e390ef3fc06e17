"""The field's words are explained, with what each jurisdiction calls them, and a form shows those that it uses."""

import pytest
from django.utils import translation

from formation_portal.service.catalog.loader import read_catalog
from formation_portal.ui.glossary import explained_term, places, term_texts, terms_in

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def test_every_place_of_the_catalog_has_words_of_its_own() -> None:
    codes = {item["jurisdiction"]["iso_code"] for item in read_catalog()}
    assert codes <= places().keys()
    assert all(place.words for place in places().values())


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


def test_what_is_not_translated_says_its_language() -> None:
    assert explained_term("director", None).language == ""
    with translation.override("fr"):
        term = explained_term("director", None)
    assert term.language == ("en" if term.meaning == term_texts()["director"].meaning else "")
