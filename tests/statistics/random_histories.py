"""Histories of submitted applications: any transition that the lifecycle allows, while the clock goes on, or back."""

import random
from datetime import datetime, timedelta
from typing import Any

from formation_portal.applications import services
from formation_portal.applications.draft import open_draft
from formation_portal.applications.models import Application
from formation_portal.applications.services.transactions import application_transaction
from formation_portal.contract.lifecycle import AGENT, TRANSITIONS, State, is_possible
from tests import factories

# How far the clock goes between two transitions, in seconds. Now and then somebody puts it back.
_STEPS = (0, 59, 3_600, 40_000, 86_400, 250_000, 2_000_000, -7_200, -100_000)


class Clock:
    """What time it is, as the house sees it."""

    def __init__(self, now: datetime) -> None:
        self._now = now

    def now(self) -> datetime:
        return self._now

    def move(self, **by: float) -> None:
        self._now += timedelta(**by)


def begin(owner: Any, *, product: str = "one") -> Application:
    """A draft of a product."""
    return services.start(owner=owner, product=factories.product(jurisdiction_product_id=product))


def do(application: Application, transition: str, *, by: Any) -> None:
    """Any transition. What is submitted needn't be complete: that isn't what is counted."""
    draft = open_draft(Application.objects.get(pk=application.pk))
    if transition == "reopen":
        services.reopen(draft, reason="The service could not take it")
    elif transition == "withdraw":
        services.withdraw(draft, by=by)
    elif TRANSITIONS[transition].by == AGENT:
        services.advance(draft, transition, by=by)
    else:
        with application_transaction(draft, by=by, must_be_open=False) as journal:
            draft.application.state = State.SUBMITTED_FOR_REVIEW
            draft.application.submitted_at = draft.application.submitted_at or datetime.now().astimezone()
            draft.application.submissions += 1
            journal.note("Submitted the application for review")


def run_history(
    chance: random.Random, applications: list[Application], *, clock: Clock, by: Any, transitions: int
) -> None:
    """So many transitions, each of one of the applications, the more final ones the rarer."""
    for _ in range(transitions):
        clock.move(seconds=chance.choice(_STEPS))
        application = chance.choice(applications)
        current = Application.objects.get(pk=application.pk)
        open_transitions = [
            name for name in TRANSITIONS if current.deleted_at is None and is_possible(name, current.status)
        ]
        if current.status is State.SUBMITTED_FOR_REVIEW:
            open_transitions.append("reopen")
        if open_transitions:
            rarely = chance.random() < 0.8 and open_transitions != ["withdraw"]
            do(application, chance.choice([one for one in open_transitions if one != "withdraw" or not rarely]), by=by)
