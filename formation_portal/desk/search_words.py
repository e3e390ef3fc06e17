"""The words of names, and of what is typed to find them, the same for any spelling of capitals, accents and hyphens."""

import re
import unicodedata
from collections.abc import Iterable

# Letters that Unicode doesn't take apart into a plain one and a mark.
_PLAIN = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h"})
_PIECE = re.compile(r"[^\W_]+")
# A word's beginning is enough to find it by.
_LONGEST = 30


def folded(text: str) -> str:
    """Without capitals and accents."""
    apart = unicodedata.normalize("NFKD", text).casefold().translate(_PLAIN)
    return "".join(letter for letter in unicodedata.normalize("NFKD", apart) if not unicodedata.combining(letter))


def words_of(texts: Iterable[str]) -> set[bytes]:
    """What finds the texts: each word of theirs, and words with hyphens or points also as one: Jean-Luc, S.R.L."""
    found: set[str] = set()
    for term in " ".join(map(folded, texts)).split():
        pieces = _PIECE.findall(term)
        found.update((*pieces, "".join(pieces)))
    return {_stored(word) for word in found if word}


def beginnings(typed: str) -> tuple[bytes, ...]:
    """What somebody types, as the beginnings of words that must all be there; the longest first."""
    joined = ("".join(_PIECE.findall(term)) for term in folded(typed).split())
    return tuple(sorted({_stored(word) for word in joined if word}, key=lambda word: (-len(word), word)))


def _stored(word: str) -> bytes:
    return word[:_LONGEST].encode()
