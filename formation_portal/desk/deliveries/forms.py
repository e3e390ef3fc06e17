"""What an agent posts to decide about a thing: as it was typed, and what was wrong with it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.http import QueryDict
from django.utils.dateparse import parse_datetime

from formation_portal.core.integers import parse_integers
from formation_portal.relay.models import Decision
from formation_portal.relay.resolution import (
    DecisionRefused,
    bind,
    declare_absent,
    record_provider_informed,
    send_again,
)
from formation_portal.ui.forms.controls import Problem

BIND, ABSENT, TOLD = Decision.Kind.BIND.value, Decision.Kind.ABSENT.value, Decision.Kind.PROVIDER_INFORMED.value
SEND_AGAIN = Decision.Kind.SEND_AGAIN.value


@dataclass(frozen=True, slots=True)
class ResolutionForm:
    """The form; an empty one before anything was posted. The errors stand at their controls."""

    deed: str = ""
    remote_id: str = ""
    note: str = ""
    seen: str = ""
    # The other steps that were told with it, by their numbers.
    also: tuple[int, ...] = ()
    deed_error: str = ""
    remote_id_error: str = ""
    note_error: str = ""

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What was wrong, in the order of the controls."""
        found = (
            (f"deed-{BIND}", self.deed_error),
            ("remote_id", self.remote_id_error),
            ("note", self.note_error),
        )
        return tuple(Problem(id_, text) for id_, text in found if text)

    def with_error(self, refused: DecisionRefused) -> "ResolutionForm":
        """The same with what was wrong at its control."""
        errors: dict[str, Any] = {f"{refused.field or 'deed'}_error": refused.message}
        return replace(self, **errors)


def posted_resolution(post: QueryDict) -> ResolutionForm:
    """What was posted; a decision that isn't one is none."""
    deed = post.get("deed", "")
    return ResolutionForm(
        deed=deed if deed in (BIND, ABSENT, TOLD, SEND_AGAIN) else "",
        remote_id=post.get("remote_id", ""),
        note=post.get("note", ""),
        seen=post.get("seen", ""),
        also=tuple(parse_integers(post.getlist("also"))),
    )


def resolve(form: ResolutionForm, delivery_id: int, *, agent: AbstractBaseUser) -> Decision:
    """Record what the form says.

    Raises DecisionRefused, and DecisionOutdated where the delivery has changed since the form was drawn.
    """
    seen_at = _moment(form.seen)
    if form.deed == BIND:
        return bind(delivery_id, agent=agent, remote_id=form.remote_id, note=form.note, seen_at=seen_at)
    if form.deed == ABSENT:
        return declare_absent(delivery_id, agent=agent, note=form.note, seen_at=seen_at)
    if form.deed == TOLD:
        return record_provider_informed(
            delivery_id, agent=agent, note=form.note, remote_id=form.remote_id, also=form.also, seen_at=seen_at
        )
    if form.deed == SEND_AGAIN:
        return send_again(delivery_id, agent=agent, note=form.note, seen_at=seen_at)
    raise DecisionRefused("Select what the formation service said", field="deed")


def _moment(text: str) -> datetime:
    """When the page was drawn; what can't be read is older than anything."""
    try:
        found = parse_datetime(text)
    except ValueError:
        found = None
    return found if found and found.tzinfo else datetime.min


def resolved_texts(decision: Decision) -> Iterator[str]:
    """What follows from a decision, in sentences."""
    yield "Recorded."
    if decision.deed in (ABSENT, SEND_AGAIN):
        yield "It will be sent again."
    elif decision.deed == TOLD:
        yield "It is marked as received, and deliveries that were waiting for it continue."
    elif decision.remote_id:
        yield f"It now has the ID {decision.remote_id}, and deliveries that were waiting for it continue."
    else:
        yield "It is marked as received."
