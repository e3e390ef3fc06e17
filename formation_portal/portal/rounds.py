"""The rounds before the present one: what our reviewer asked, what was answered to it, and what was changed for it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from django.utils import timezone
from django.utils.translation import gettext

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Change
from formation_portal.contract.lifecycle import State
from formation_portal.reviews.asked import Asked, asked_of, words_of
from formation_portal.reviews.naming import whose
from formation_portal.reviews.reviewing import UNDER_REVIEW

from . import moments
from .asked_places import title_of
from .came_back import RETURN
from .returned import Correction, corrections_of


@dataclass(frozen=True, slots=True)
class RoundItem:
    """One question of a round."""

    title: str
    whose: str
    said: str
    reply: str
    # Not said while somebody reviews it again: what they do meanwhile is theirs.
    is_settled: bool


@dataclass(frozen=True, slots=True)
class Round:
    """One return and what came of it, as portal/_rounds.html draws it."""

    id: str
    title: str
    answered: str
    said: str
    items: tuple[RoundItem, ...]
    corrections: tuple[Correction, ...]


def rounds(draft: Draft, moves: Sequence[Change]) -> tuple[Round, ...]:
    """The rounds that were answered, the newest first: one query, and two more where there are any."""
    words = words_of(draft.application, RETURN)
    answered = tuple(one for one in _answered(moves) if one[0] in words)
    if not answered:
        return ()
    asked = asked_of(draft.application)
    first, last = answered[0][1], answered[-1][2]
    between = tuple(draft.application.changes.filter(pk__gt=first.pk, pk__lt=last.pk))
    found = (
        _round(
            draft,
            number,
            back,
            [one for one in asked if one.round == number],
            words[number],
            _within(between, out, back),
        )
        for number, out, back in answered
    )
    return tuple(found)[::-1]


def _answered(moves: Sequence[Change]) -> Iterator[tuple[int, Change, Change]]:
    """Each return that was answered: the number of the submission that came back, the return, and what followed."""
    number = 0
    for move, following in pairwise(moves):
        number += move.moved_to == State.SUBMITTED_FOR_REVIEW
        if (move.moved_to, following.moved_to) == (State.RETURNED_FOR_CHANGES, State.SUBMITTED_FOR_REVIEW):
            yield number, move, following


def _within(between: Sequence[Change], out: Change, back: Change) -> list[Change]:
    return [change for change in between if out.pk < change.pk < back.pk]


def _round(
    draft: Draft, number: int, back: Change, asked: Sequence[Asked], said: str, changes: Sequence[Change]
) -> Round:
    day = moments.day(timezone.localtime(back.at).date())
    corrections = corrections_of(changes)
    is_answered = bool(corrections) or any(one.reply for one in asked)
    words = gettext("Sent on %(day)s") if is_answered else gettext("Sent without changes on %(day)s")
    return Round(
        id=f"round-{number}",
        title=gettext("Corrections, round %(number)d") % {"number": number},
        answered=words % {"day": day},
        said=said,
        items=tuple(
            RoundItem(title_of(draft, one), whose(draft, one.place), one.text, one.reply, _is_settled(draft, one))
            for one in asked
        ),
        corrections=corrections,
    )


def _is_settled(draft: Draft, one: Asked) -> bool:
    return one.is_settled and draft.application.status not in UNDER_REVIEW
