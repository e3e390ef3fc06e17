"""The glossary: terms (terms.yaml), the words of places for them (places.yaml), and the terms that texts use.

Terms are found by words alone: the code knows no product and no field.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import yaml
from django.utils.translation import get_language, gettext
from pydantic import BaseModel, ConfigDict, TypeAdapter

_HERE = Path(__file__).parent


class _TermText(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    meaning: str
    found_in: tuple[str, ...]


class GlossaryPlace(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    language: str
    words: Mapping[str, str]

    @property
    def called(self) -> str:
        """Return the name of the place in the reader's language, with its article if it has one."""
        return gettext(self.name)


@dataclass(frozen=True, slots=True)
class Term:
    """A term with its meaning and the place's own word for it, each with its language if that is not the page's."""

    key: str
    title: str
    meaning: str
    language: str = ""
    local: str = ""
    local_language: str = ""


def explained_term(key: str, place: GlossaryPlace | None) -> Term:
    """Explain a term in the reader's language. Raises KeyError for an unknown term."""
    texts = term_texts()[key]
    term = Term(key, gettext(texts.title), gettext(texts.meaning))
    if term.meaning == texts.meaning and not (get_language() or "en").startswith("en"):
        term = replace(term, language="en")
    local = place.words.get(key, "") if place else ""
    if place and local and local.casefold() != term.title.casefold():
        term = replace(term, local=local, local_language=place.language)
    return term


@cache
def term_texts() -> Mapping[str, _TermText]:
    return TypeAdapter(dict[str, _TermText]).validate_python(_read("terms.yaml"))


@cache
def places() -> Mapping[str, GlossaryPlace]:
    return TypeAdapter(dict[str, GlossaryPlace]).validate_python(_read("places.yaml"))


def _read(name: str) -> Any:
    return yaml.safe_load((_HERE / name).read_text(encoding="utf-8"))


def terms_in(texts: Iterable[str]) -> tuple[str, ...]:
    return _terms_in(tuple(texts))


@lru_cache(maxsize=512)
def _terms_in(texts: tuple[str, ...]) -> tuple[str, ...]:
    phrases = (match[0].casefold() for text in texts for match in _pattern().finditer(text))
    return tuple(dict.fromkeys(_keys()[phrase] for phrase in phrases))


@cache
def _pattern() -> re.Pattern[str]:
    # The longest first, so that “beneficial owner” is not taken for “owner”.
    phrases = sorted(_keys(), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, phrases))})(?!\w)", re.IGNORECASE)


@cache
def _keys() -> dict[str, str]:
    return {phrase.casefold(): key for key, word in term_texts().items() for phrase in word.found_in}
