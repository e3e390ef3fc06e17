"""What narrows the queue, each condition with the index that finds its cases, so that the rarest can lead a search.

Words are compared folded: the same for any spelling of capitals, accents and hyphens.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import F, IntegerField, Lookup, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce
from django.db.models.lookups import Exact, IsNull

from formation_portal.accounts.models import User

from ..models import Case, CaseWord
from ..queue_state import NOBODY, QueueState, View
from .claims import claimed_by, not_proposed_by, unclaimed

# Letters that Unicode doesn't take apart into a plain one and a mark.
_PLAIN = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h"})
_PIECE = re.compile(r"[^\W_]+")
# A word's beginning is enough to find it by.
_LONGEST = 30


def fold(text: str) -> str:
    """Without capitals and accents."""
    apart = unicodedata.normalize("NFKD", text).casefold().translate(_PLAIN)
    return "".join(letter for letter in unicodedata.normalize("NFKD", apart) if not unicodedata.combining(letter))


def search_words(texts: Iterable[str]) -> set[bytes]:
    """What finds the texts: each word of theirs, and words with hyphens or points also as one: Jean-Luc, S.R.L."""
    found: set[str] = set()
    for term in " ".join(map(fold, texts)).split():
        pieces = _PIECE.findall(term)
        found.update((*pieces, "".join(pieces)))
    return {_as_stored(word) for word in found if word}


def search_prefixes(typed: str) -> tuple[bytes, ...]:
    """What somebody types, as the beginnings of words that must all be there; the longest first."""
    joined = ("".join(_PIECE.findall(term)) for term in fold(typed).split())
    return tuple(sorted({_as_stored(word) for word in joined if word}, key=lambda word: (-len(word), word)))


def _as_stored(word: str) -> bytes:
    return word[:_LONGEST].encode()


# How many of the words count at all.
_WORDS = 6
# Behind everything that begins with a word: UTF-8 has no such byte.
_AFTER_ALL = b"\xff"
# The filters that are columns of a case.
COLUMNS = ("product", "place", "state")


@dataclass(frozen=True, slots=True)
class Condition:
    """One thing that a case must be. `test` asks one case for it, by no index of that thing.

    `rows` are those of the index that finds such cases, by the case's key; None where no index does. `column` has to
    have one value: `lookup` says so, and lets an index find it.
    """

    test: "Q | Lookup[Any]"
    rows: QuerySet[Any] | None = None
    column: str = ""
    lookup: Q | None = None
    # How many cases have it, as far as they were counted.
    count: int = 0


class RowCount(Subquery):
    """How many rows a query has, as a value of another query."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) counted)"
    output_field = IntegerField()


def counts(rows: Sequence[QuerySet[Any]], *, agent_id: int) -> tuple[int, ...]:
    """How many rows each of several queries has, in one query. What is cut counts as far as it is cut."""
    if not rows:
        return ()
    found: tuple[int, ...] = User.objects.filter(pk=agent_id).values_list(*map(RowCount, rows)).get()
    return found


def conditions(chosen: QueueState, *, agent_id: int) -> tuple[Condition, ...]:
    """Everything that a state of the queue asks of a case, but for the view's own moment."""
    words = [_with_word(word) for word in search_prefixes(chosen.text)[:_WORDS]]
    columns = [_in_column(name, value) for name in COLUMNS if (value := getattr(chosen, name))]
    holders = [chosen.holder] if chosen.holder else []
    if chosen.view is View.MINE:
        holders.append(str(agent_id))
    if chosen.view is View.UNCLAIMED:
        holders.append(NOBODY)
    others = [Condition(not_proposed_by(agent_id))] if chosen.view is View.CONFIRM else []
    return (*words, *columns, *map(_held_by, holders), *others)


def _with_word(word: bytes) -> Condition:
    # A value that is looked up, since PostgreSQL would read a whole index for EXISTS.
    begins = Q(word__gte=word, word__lt=word + _AFTER_ALL)
    here = CaseWord.objects.filter(begins, case=OuterRef("pk")).values("pk")[:1]
    rows = CaseWord.objects.filter(begins).values("case")
    return Condition(IsNull(Subquery(here), False), rows)


def _in_column(name: str, value: str) -> Condition:
    lookup = Q(**{name: value})
    # No plan finds a wrapped column by its index, and sorts all that it finds there; so the order of the view leads.
    test = Exact(Coalesce(F(name), Value("")), value)
    return Condition(test, Case.objects.filter(lookup).values("pk"), column=name, lookup=lookup)


def _held_by(holder: str) -> Condition:
    if holder == NOBODY:
        return Condition(unclaimed())
    test = claimed_by(int(holder))
    return Condition(test, Case.objects.filter(test).values("pk"))
