"""The catalog speaks as the pages do. Options, declarations and names of slots are values, and stay as they are."""

import re
from collections.abc import Iterator

from tests.test_wording import NO_LONGER_USED

from .conftest import Json, asked_in, name_of, sections_of

# Where a place has a word of its own for the same thing.
LOCAL_WORDS = {
    "party.shares_held": {"Number of shares", "Number of quotas"},
    "entity.initial_capital": {"Initial capital", "Initial patrimony"},
    "party.capacity": {"Connection to the foundation", "Connection to the association"},
}


# The pages call it the formation service. A company service provider is a trade of its own.
RIDDLES = [phrase for phrase in NO_LONGER_USED if phrase != "provider"]

# What the forms said before, in words that had to be read twice.
BANNED = re.compile(
    r"\b(?:shall|leave it empty|if there is nobody|in words|wanted|behind it|natural persons?|need not|nothing need|"
    r"not older than|at most three|" + "|".join(RIDDLES) + r")\b",
    re.IGNORECASE,
)


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


def test_one_thing_has_one_label_in_all_products(catalog: list[Json]) -> None:
    labels: dict[str, set[str]] = {}
    for item in catalog:
        for asked in asked_in(item):
            labels.setdefault(name_of(asked.field), set()).add(asked.field["label"])
    assert {name: found for name, found in labels.items() if len(found) > 1} == LOCAL_WORDS


def test_no_text_of_the_catalog_is_a_riddle(catalog: list[Json]) -> None:
    assert {
        text for item in catalog for text in texts(item) if BANNED.search(text) or "'" in text or ";" in text
    } == set()
