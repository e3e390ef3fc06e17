"""The catalog speaks as the pages do. Options, declarations and names of slots are values, and stay as they are."""

import re
from collections.abc import Iterator

from tests.test_wording import NO_LONGER_USED
from tests.wording import sentences, words

from .conftest import Json, asked_in, name_of, sections_of

# Where a place has a word of its own for the same thing.
LOCAL_WORDS = {
    "party.shares_held": {"Number of shares", "Number of quotas"},
    "entity.initial_capital": {"Initial capital", "Initial patrimony"},
    "party.capacity": {"Connection to the foundation", "Connection to the association"},
}

# Words that keep their capital within a title or a label: names of places, peoples and forms.
NAMES = {
    *("Bahamas", "Belize", "British", "Cayman", "Chinese", "Costa", "Curaçao", "Emirates", "Florida", "Form", "Gulf"),
    *("Hong", "Ireland", "Islands", "Kong", "Nevis", "Panama", "Rica", "Rican", "Seychelles", "Spanish"),
    *("Switzerland", "The", "Virgin"),
}

# The pages call it the formation service. A company service provider is a trade of its own.
RIDDLES = [phrase for phrase in NO_LONGER_USED if phrase != "provider"]

# What the forms said before, in words that had to be read twice.
BANNED = re.compile(
    r"\b(?:shall|leave it empty|if there is nobody|in words|wanted|behind it|natural persons?|need not|nothing need|"
    r"not older than|at most three|" + "|".join(RIDDLES) + r")\b",
    re.IGNORECASE,
)
QUESTION = re.compile(
    r"(?:Who|What|Which|Where|When|How|Why|Is|Are|Do|Does|Can|Will|Has|Have|Acting|Appointed|Politically|US)\b.*\?"
)

_LONGEST = 30


def headings(item: Json) -> Iterator[str]:
    yield from (section["title"] for section in sections_of(item))
    yield from (asked.field["label"] for asked in asked_in(item))


def helps(item: Json) -> Iterator[str]:
    slots = [slot for s in sections_of(item) for group in s.get("documents", {}).values() for slot in group]
    for labelled in (*sections_of(item), *(asked.field for asked in asked_in(item)), *slots):
        yield from ([labelled["help"]] if "help" in labelled else [])


def reasons(item: Json) -> set[str]:
    """Return why the bounds of a form are as they are."""
    bounded = (*sections_of(item), *(asked.field for asked in asked_in(item)))
    return {block["bound_message"] for block in bounded if "bound_message" in block}


def texts(item: Json) -> set[str]:
    return {item["product"]["description"], *headings(item), *helps(item), *reasons(item)}


def is_declaration(field: Json) -> bool:
    return field["field_type"] == "multi_select" and len(field["options"]) == 1


def test_one_thing_has_one_label_in_all_products(catalog: list[Json]) -> None:
    labels: dict[str, set[str]] = {}
    for item in catalog:
        for asked in asked_in(item):
            labels.setdefault(name_of(asked.field), set()).add(asked.field["label"])
    assert {name: found for name, found in labels.items() if len(found) > 1} == LOCAL_WORDS


def test_a_yes_or_no_question_is_asked_as_one_and_a_label_has_no_full_stop(catalog: list[Json]) -> None:
    for item in catalog:
        for asked in asked_in(item):
            label, is_yes_or_no = asked.field["label"], asked.field["field_type"] == "boolean"
            assert bool(QUESTION.fullmatch(label)) or not (is_yes_or_no or label.endswith("?")), label
        assert [heading for heading in headings(item) if heading.endswith((".", ":"))] == []


def test_what_is_agreed_to_is_confirmed_or_accepted(catalog: list[Json]) -> None:
    declared = {a.field["label"] for item in catalog for a in asked_in(item) if is_declaration(a.field)}
    assert len(declared) > 10
    assert {label for label in declared if not label.startswith(("Confirm ", "Accept "))} == set()


def test_titles_and_labels_are_in_sentence_case(catalog: list[Json]) -> None:
    later = {word for item in catalog for heading in headings(item) for word in words(heading)[1:]}
    assert {word for word in later if word[0].isupper() and word[1:].islower()} == NAMES


def test_a_hint_is_made_of_whole_short_sentences(catalog: list[Json]) -> None:
    for item in catalog:
        assert [text for text in helps(item) if not (text[0].isupper() or text[0].isdigit()) or text[-1] != "."] == []
        assert [one for text in texts(item) for one in sentences(text) if len(words(one)) > _LONGEST] == []


def test_a_reason_of_a_bound_is_a_sentence_without_its_full_stop(catalog: list[Json]) -> None:
    sentences_of_bounds = set().union(*map(reasons, catalog))
    assert len(sentences_of_bounds) > 20
    assert [reason for reason in sentences_of_bounds if not reason[0].isupper() or reason[-1] in ".:"] == []


def test_no_text_of_the_catalog_is_a_riddle(catalog: list[Json]) -> None:
    assert {
        text for item in catalog for text in texts(item) if BANNED.search(text) or "'" in text or ";" in text
    } == set()
