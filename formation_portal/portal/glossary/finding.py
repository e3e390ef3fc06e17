"""Which terms a form's own words mean. Nothing here knows a product or a field: words alone decide."""

import re
from collections.abc import Iterable
from functools import cache, lru_cache

from .words import words


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
    return {phrase.casefold(): key for key, word in words().items() for phrase in word.found_in}
