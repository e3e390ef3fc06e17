"""What forms call roles is said in the reader's language, where the word is known; else as the form says it."""

import pytest
from django.test import Client
from django.utils import translation

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.contract import canonical
from formation_portal.management.commands.update_messages import catalog_of, translated_languages
from formation_portal.service.catalog.loader import read_catalog
from formation_portal.ui import roles

pytestmark = pytest.mark.django_db(databases=["default", "service"])


@pytest.mark.parametrize("language", translated_languages())
def test_every_role_of_the_catalog_has_its_word(language: str) -> None:
    scopes = {section["scope"] for item in read_catalog() for section in item["schema"]["sections"]}
    named = {scope.partition(":")[2] for scope in scopes if scope.startswith("role:")}
    assert len(named) > 4
    catalog = catalog_of(language)
    for word in map(canonical.english_role, named):
        assert catalog.get(word), word
        assert catalog.get(canonical.role_count_messages(word)), word


@pytest.mark.parametrize(
    ("language", "word", "two"),
    [
        ("en", "director", "2 directors"),
        ("de", "Direktor", "2 Direktoren"),
        ("fr", "administrateur", "2 administrateurs"),
        ("es", "administrador", "2 administradores"),
    ],
)
def test_a_role_is_named_and_counted_as_the_language_does(language: str, word: str, two: str) -> None:
    with translation.override(language):
        assert canonical.role_word("director") == word
        assert canonical.role_count("director", 2) == two


@pytest.mark.parametrize("role", ["wizard", "keeper_of_keys", "{0}", "%s", "", "name{"])
def test_a_role_that_nobody_knows_is_called_as_its_form_calls_it(role: str) -> None:
    with translation.override("de"):
        assert canonical.role_word(role) == role.replace("_", " ")
        assert canonical.role_count(role, 1) == f"1 {role.replace('_', ' ')}"


def test_a_secretary_has_a_plural() -> None:
    assert canonical.role_count("secretary", 2) == "2 secretaries"
    assert canonical.role_count("attorney", 2) == "2 attorneys"


def test_a_heading_keeps_the_capitals_of_its_words() -> None:
    with translation.override("de"):
        assert roles.role_words(["ubo", "director"]) == "Wirtschaftlich Berechtigter, Direktor"


def test_a_page_names_roles_in_its_language(as_owner: Client, draft: Draft) -> None:
    ada = services.add_party(draft, "person", ["director"], {"person.first_name": "Ada"}, by=draft.application.owner)
    page = as_owner.get(
        f"/applications/{draft.application.reference}/people/{ada.token}/", headers={"accept-language": "fr"}
    ).content.decode()
    assert "Administrateur" in page
    assert "Director<" not in page


@pytest.mark.parametrize(
    ("language", "needed"), [("en", "Upload “Passport”"), ("fr", "Envoyez «\u00a0Passport\u00a0»")]
)
def test_what_a_page_about_somebody_needs_does_not_begin_with_their_name(
    as_owner: Client, draft: Draft, language: str, needed: str
) -> None:
    ada = services.add_party(draft, "person", ["director"], {"person.first_name": "Ada"}, by=draft.application.owner)
    page = as_owner.get(
        f"/applications/{draft.application.reference}/people/{ada.token}/", headers={"accept-language": language}
    ).content.decode()
    assert needed in page
