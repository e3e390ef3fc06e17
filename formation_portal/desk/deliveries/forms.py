"""Read the form in which an agent settles a delivery that nothing else can settle."""

from collections.abc import Iterator
from datetime import datetime

from django import forms
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

BIND = Decision.Kind.BIND.value
ABSENT = Decision.Kind.ABSENT.value
INFORMED = Decision.Kind.PROVIDER_INFORMED.value
SEND_AGAIN = Decision.Kind.SEND_AGAIN.value
_SELECT = "Select what the formation service said"


class ResolutionForm(forms.Form):
    """The answer of the formation service about a delivery, and how the agent knows. Templates draw its controls."""

    deed = forms.ChoiceField(
        choices=((kind, kind) for kind in (BIND, ABSENT, INFORMED, SEND_AGAIN)),
        error_messages={"required": _SELECT, "invalid_choice": _SELECT},
    )
    remote_id = forms.CharField(required=False)
    note = forms.CharField(required=False)
    # When the page was drawn.
    seen = forms.CharField(required=False)

    @property
    def also(self) -> tuple[int, ...]:
        """Return the numbers of the other steps of which the service was informed with it."""
        return tuple(parse_integers(self.data.getlist("also"))) if isinstance(self.data, QueryDict) else ()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return the first error of each control, in the order of the controls."""
        ids = {"deed": f"deed-{BIND}", "remote_id": "remote_id", "note": "note"}
        return tuple(Problem(id_, str(self.errors[name][0])) for name, id_ in ids.items() if name in self.errors)

    def add_refusal(self, refused: DecisionRefused) -> None:
        """Show why the decision is refused at its control."""
        self.add_error(refused.field or "deed", refused.message)

    def store(self, delivery_id: int, *, agent: AbstractBaseUser) -> Decision:
        """Record the decision. Raises DecisionRefused, and DecisionOutdated where the delivery has changed since the
        page was drawn."""
        values = self.cleaned_data
        note = values["note"]
        remote_id = values["remote_id"]
        seen_at = _moment(values["seen"])
        if values["deed"] == BIND:
            return bind(delivery_id, agent=agent, remote_id=remote_id, note=note, seen_at=seen_at)
        if values["deed"] == ABSENT:
            return declare_absent(delivery_id, agent=agent, note=note, seen_at=seen_at)
        if values["deed"] == SEND_AGAIN:
            return send_again(delivery_id, agent=agent, note=note, seen_at=seen_at)
        return record_provider_informed(
            delivery_id, agent=agent, note=note, remote_id=remote_id, also=self.also, seen_at=seen_at
        )


def _moment(text: str) -> datetime:
    """Parse the time at which the page was drawn. A text that can't be read is older than anything."""
    try:
        moment = parse_datetime(text)
    except ValueError:
        moment = None
    return moment if moment and moment.tzinfo else datetime.min


def resolved_texts(decision: Decision) -> Iterator[str]:
    """Say in sentences what follows from a decision."""
    yield "Recorded."
    if decision.deed in (ABSENT, SEND_AGAIN):
        yield "It will be sent again."
    elif decision.deed == INFORMED:
        yield "It is marked as received, and deliveries that were waiting for it continue."
    elif decision.remote_id:
        yield f"It now has the ID {decision.remote_id}, and deliveries that were waiting for it continue."
    else:
        yield "It is marked as received."
