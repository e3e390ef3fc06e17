"""Agents and customers at one application in any order, one after another and at the same moment: nobody's word is
written over unseen, and nothing is decided by somebody who has not seen all of it."""

import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Barrier
from typing import Any

import pytest
from django.db import connection

from formation_portal.contract.lifecycle import FINAL, State
from formation_portal.reviews.checklist import load_checklist
from formation_portal.reviews.models import DecisionOutcome, ReviewDecision
from tests import factories

from .concurrent_people import AGENT_ACTIONS, CUSTOMER_ACTIONS, NAME, REFUSALS, Page, Person, Written, present

pytestmark = pytest.mark.django_db(transaction=True)

STEPS = 30
TWO = 2
FEW = range(2)
# A thousand, in parts that several processes can share.
THOUSAND = [range(first, first + 250) for first in range(0, 1000, 250)]


@dataclass
class Story:
    """One application, who is at it, and everything that was written, in its order."""

    number: int
    people: tuple[Person, ...]
    dice: random.Random
    written: list[Written] = field(default_factory=list)
    overwritten: list[str] = field(default_factory=list)
    refused: int = 0

    def step(self) -> None:
        """One or two people press what they have before them; some look at it anew first, most after."""
        pressing = self._chosen(TWO if self.dice.random() < 0.4 else 1)
        for person in pressing:
            if person.page is None or self.dice.random() < 0.5:
                person.page = Page.opened(self.number, at=len(self.written))
        done = _at_once([person.does(self.dice, self.number) for person in pressing])
        self._check_step([(person, one) for person, one in zip(pressing, done, strict=True) if one is not None])
        self.refused += sum(one is None for one in done)
        for person in pressing:
            if self.dice.random() < 0.5:
                person.page = None

    def _chosen(self, count: int) -> list[Person]:
        """Mostly those whose turn it is; the others now and then."""
        is_returned = present(self.number).application.is_open
        turns = {person.who: person.actions is CUSTOMER_ACTIONS for person in self.people}
        odds = [9 if turns[person.who] is is_returned else 1 for person in self.people]
        first = self.dice.choices(self.people, odds)[0]
        return [first, *self.dice.sample([one for one in self.people if one is not first], count - 1)]

    def _check_step(self, done: list[tuple[Person, Written]]) -> None:
        for person, one in done:
            assert person.page is not None
            before = self.written[person.page.opened_at :]
            self.overwritten += [f"{one} over {other}" for other in before if one.overlooks(other)]
            if one.is_blind:
                self.overwritten.append(f"{one} over a name that its page has not shown")
        if len(done) == TWO:
            (_, first), (_, second) = done
            # Whichever came first, the other had not seen it.
            is_unseen = first.overlooks(second) and second.overlooks(first)
            if is_unseen or (first.closes and second.name) or (second.closes and first.name):
                self.overwritten.append(f"{first} at once with {second}")
        self.written += [one for _, one in done]
        self._check_state()

    def _check_state(self) -> None:
        draft = present(self.number)
        named = [one.name for one in self.written if one.name]
        if named and draft.party_models[0].raw[NAME] != named[-1]:
            self.overwritten.append("The name is not the one that was written last")
        if draft.application.status in (State.SUBMITTED_TO_CSP, State.INCORPORATED):
            facts = load_checklist(draft)
            if facts.queries or not all(sheet.is_done for sheet in facts.holders):
                self.overwritten.append("Approved without having been checked whole")
        if draft.application.status in FINAL and ReviewDecision.objects.filter(
            application=draft.application, outcome=DecisionOutcome.WAITING
        ):
            self.overwritten.append("Something waits in a closed case")


def _at_once(presses: list[Callable[[], Written | None]]) -> list[Written | None]:
    """Press all at one moment; what was refused has written nothing."""
    barrier = Barrier(len(presses))

    def press(action: Callable[[], Written | None]) -> Written | None:
        barrier.wait()
        try:
            return action()
        except REFUSALS:
            return None
        finally:
            if len(presses) > 1:
                connection.close()

    if len(presses) == 1:
        return [press(presses[0])]
    with ThreadPoolExecutor(len(presses)) as pool:
        return list(pool.map(press, presses))


def stories(seeds: range, *, owner: Any, agent: Any, colleague: Any, settings: Any) -> Iterator[Story]:
    for seed in seeds:
        settings.FOUR_EYES = bool(seed % 2)
        draft = factories.submitted_draft(owner)
        people = (
            Person("agent", agent, AGENT_ACTIONS),
            Person("colleague", colleague, AGENT_ACTIONS),
            Person("window", owner, CUSTOMER_ACTIONS),
            Person("other window", owner, CUSTOMER_ACTIONS),
        )
        story = Story(draft.application.pk, people, random.Random(seed))
        for _ in range(STEPS):
            if present(story.number).application.status not in FINAL:
                story.step()
        yield story


@pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(FEW, id="some"),
        *(pytest.param(part, id=f"from-{part.start}", marks=pytest.mark.long) for part in THOUSAND),
    ],
)
def test_nothing_is_overwritten_unseen(seeds: range, owner: Any, agent: Any, colleague: Any, settings: Any) -> None:
    played = list(stories(seeds, owner=owner, agent=agent, colleague=colleague, settings=settings))
    assert [(seed, story.overwritten) for seed, story in zip(seeds, played, strict=True) if story.overwritten] == []
    # The stories are about something: much was written, much was refused, and with many every action has been tried.
    done = {what for story in played for one in story.written for what, _ in one.about}
    assert done >= ({"accepted"} if seeds == FEW else {"accepted", "query", "ended", "name", "state", "decision"})
    assert sum(len(story.written) for story in played) > 4 * len(seeds)
    assert sum(story.refused for story in played) > len(seeds)
