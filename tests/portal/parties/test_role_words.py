"""What forms call roles is said in the reader's language, where the word is known; else as the form says it."""

import pytest
from django.utils import translation

from formation_portal.contract import canonical
from formation_portal.management.commands.update_messages import catalog_of, translated_languages
from formation_portal.service.catalog.loader import read_catalog

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
