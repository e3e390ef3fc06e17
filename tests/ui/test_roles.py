"""What kinds of parties and roles are called in a sentence."""

import pytest

from formation_portal.ui.roles import ADD_WORDS, kind_with_article, with_article


@pytest.mark.parametrize(
    ("kind", "words", "add"),
    [
        ("person", "a person", "Add a person"),
        ("corporate", "a company", "Add a company"),
        ("foundation", "a foundation", "Add a foundation"),
    ],
)
def test_a_kind_of_party_has_its_article_and_the_words_that_add_one(kind: str, words: str, add: str) -> None:
    assert kind_with_article(kind) == words
    assert ADD_WORDS[kind] == add


@pytest.mark.parametrize(
    ("role", "words"),
    [
        ("director", "a director"),
        ("officer", "an officer"),
        ("authorised_signatory", "an authorised signatory"),
        ("ubo", "a beneficial owner"),
    ],
)
def test_a_role_has_its_article(role: str, words: str) -> None:
    assert with_article(role) == words
