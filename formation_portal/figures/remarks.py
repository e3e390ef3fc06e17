"""What the remarks of one return add: by reason, and by question, which is called as its form calls it."""

import hashlib
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from django.utils import timezone

from formation_portal.reviews.places import Kind

from .cells import Cell, Table
from .spans import Span

# A party is called as its customer has called it, and the whole by nothing.
_OF_NO_QUESTION = {Kind.PARTY.value: "Person or company and roles", Kind.APPLICATION.value: "Whole application"}


def digest_of(remark: Any, form: str) -> str:
    """What stands for the question that a remark is about: the form, the kind, and what the form knows it by."""
    known_by = {Kind.SECTION.value: remark.holder, Kind.PARTY.value: "", Kind.APPLICATION.value: ""}
    parts = (form, remark.kind, known_by.get(remark.kind, remark.name))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def words_of(remark: Any) -> str:
    """What the question is called."""
    return _OF_NO_QUESTION.get(remark.kind) or remark.label or remark.name


def remarked(remarks: Sequence[Any], *, form: str, questions: Mapping[str, int]) -> Counter[Cell]:
    """What one return adds. `questions` are the numbers of its questions, by their digests."""
    more = Counter[Cell]()
    day = timezone.localdate(remarks[0].sent_at)
    more.update(_counted(Table.REASONS, day, [remark.reason for remark in remarks]))
    more.update(_counted(Table.QUESTIONS, day, [questions[digest_of(remark, form)] for remark in remarks]))
    return more


def _counted(table: Table, day: date, things: Iterable[Hashable]) -> Counter[Cell]:
    """Each remark, and the return once, however many of its remarks are about the same."""
    more = Counter[Cell]()
    for thing, remarks in Counter(things).items():
        for span in Span:
            key = (span.value, span.start_of(day), thing)
            more[Cell(table, key, "returns")] = 1
            more[Cell(table, key, "remarks")] = remarks
    return more
