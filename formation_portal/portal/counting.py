"""Numbers of things in words, and lists of words, as sentences have them."""

from collections.abc import Sequence

from formation_portal.contract import language
from formation_portal.contract.language import say_count

_ENTITY_WORDS = {"Corporation": "company", "Foundation": "foundation"}


def counted(number: int, one: str, many: str) -> str:
    """1 answer, 3 answers; nothing for none. `{count}` in the words is the number."""
    return say_count(one, many, number) if number else ""


def listed(words: Sequence[str], last: str = "and") -> str:
    """One, two and three."""
    return language.listed(words, "or" if last == "or" else "and")


def entity_word(product_type: str) -> str:
    """What an entity of the type is called in a sentence."""
    return _ENTITY_WORDS.get(product_type, "entity")
