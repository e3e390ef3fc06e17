"""What terms.yaml and places.yaml say, and which of the terms stand in a form's own words.

Nothing here knows a product or a field: words alone decide.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import yaml
from django.utils.translation import get_language, gettext
from pydantic import BaseModel, ConfigDict

_HERE = Path(__file__).parent


class _TermText(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    meaning: str
    found_in: tuple[str, ...]


class GlossaryPlace(BaseModel):
    """A place, and what it calls some of the terms, in its own language."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    language: str
    words: Mapping[str, str]

    @property
    def called(self) -> str:
        """What the reader's language calls it, with its article where it has one."""
        return gettext(self.name)


@dataclass(frozen=True, slots=True)
class Term:
    """One term for the reader: explained, with the place's own word where that is another.

    `language` is that of title and meaning where the page has another one, `local_language` that of the place's word.
    """

    key: str
    title: str
    meaning: str
    language: str = ""
    local: str = ""
    local_language: str = ""


def explained_term(key: str, place: GlossaryPlace | None) -> Term:
    """The term as a reader of the present language meets it. Raises KeyError for one that there is not."""
    word = term_texts()[key]
    meaning = gettext(word.meaning)
    is_foreign = meaning == word.meaning and not (get_language() or "en").startswith("en")
    title, local = gettext(word.title), place.words.get(key, "") if place else ""
    is_news = local.casefold() != title.casefold()
    return Term(
        key=key,
        title=title,
        meaning=meaning,
        language="en" if is_foreign else "",
        local=local if is_news else "",
        local_language=place.language if place and local else "",
    )


def place_of(code: str) -> GlossaryPlace | None:
    """The place of an ISO code; None for one whose words nobody has written down."""
    return places().get(code)


@cache
def term_texts() -> Mapping[str, _TermText]:
    """Every term by its key, in the order of the file, which is that of the alphabet."""
    return {key: _TermText.model_validate(one) for key, one in _read("terms.yaml").items()}


@cache
def places() -> Mapping[str, GlossaryPlace]:
    """Every place by its ISO code."""
    return {code: GlossaryPlace.model_validate(one) for code, one in _read("places.yaml").items()}


def _read(name: str) -> Mapping[str, Any]:
    read: Mapping[str, Any] = yaml.safe_load((_HERE / name).read_text(encoding="utf-8"))
    return read


def terms_in(texts: Iterable[str]) -> tuple[str, ...]:
    """The keys of the terms that stand in the texts, in the order in which they are met, each once."""
    return _found(tuple(texts))


@lru_cache(maxsize=512)
def _found(texts: tuple[str, ...]) -> tuple[str, ...]:
    met = (found[0].casefold() for text in texts for found in _pattern().finditer(text))
    return tuple(dict.fromkeys(_keys()[word] for word in met))


@cache
def _pattern() -> re.Pattern[str]:
    # The longest first, so that “beneficial owner” is not taken for something shorter within it.
    phrases = sorted(_keys(), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, phrases))})(?!\w)", re.IGNORECASE)


@cache
def _keys() -> dict[str, str]:
    return {phrase.casefold(): key for key, word in term_texts().items() for phrase in word.found_in}
