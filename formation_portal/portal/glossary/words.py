"""What terms.yaml and places.yaml say."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from django.utils.translation import get_language, gettext
from pydantic import BaseModel, ConfigDict

_HERE = Path(__file__).parent


class _Word(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    meaning: str
    found_in: tuple[str, ...]


class Place(BaseModel):
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


def explained(key: str, place: Place | None) -> Term:
    """The term as a reader of the present language meets it. Raises KeyError for one that there is not."""
    word = words()[key]
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


def place_of(code: str) -> Place | None:
    """The place of an ISO code; None for one whose words nobody has written down."""
    return places().get(code)


@cache
def words() -> Mapping[str, _Word]:
    """Every term by its key, in the order of the file, which is that of the alphabet."""
    return {key: _Word.model_validate(one) for key, one in _read("terms.yaml").items()}


@cache
def places() -> Mapping[str, Place]:
    """Every place by its ISO code."""
    return {code: Place.model_validate(one) for code, one in _read("places.yaml").items()}


def _read(name: str) -> Mapping[str, Any]:
    read: Mapping[str, Any] = yaml.safe_load((_HERE / name).read_text(encoding="utf-8"))
    return read
