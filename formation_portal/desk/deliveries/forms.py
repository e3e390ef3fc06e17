"""Read the form by which an agent resolves a delivery that the portal cannot resolve by itself."""

from datetime import datetime

from django import forms
from django.contrib.auth.models import AbstractBaseUser
from django.http import QueryDict

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

_SELECT = "Select what the formation service said"


class ResolutionForm(forms.Form):
    """The outcome of a delivery at the formation service, and how the agent knows. Templates draw its controls."""

    decision = forms.ChoiceField(
        choices=Decision.Kind.choices,
        error_messages={"required": _SELECT, "invalid_choice": _SELECT},
    )
    remote_id = forms.CharField(required=False)
    note = forms.CharField(required=False)
    # When the page was drawn.
    seen = forms.CharField(required=False)

    @property
    def also(self) -> tuple[int, ...]:
        """Return the keys of the other deliveries that the agent has told the service of as well."""
        return tuple(parse_integers(self.data.getlist("also"))) if isinstance(self.data, QueryDict) else ()

    @property
    def problems(self) -> tuple[Problem, ...]:
        ids = {"decision": "decision-bind", "remote_id": "remote_id", "note": "note"}
        return tuple(Problem(id_, str(self.errors[name][0])) for name, id_ in ids.items() if name in self.errors)

    def add_refusal(self, refused: DecisionRefused) -> None:
        self.add_error(refused.field or "decision", refused.message)

    def store(self, delivery_id: int, *, agent: AbstractBaseUser) -> Decision:
        """Record the decision. Raises DecisionRefused, or DecisionOutdated if the delivery has changed meanwhile."""
        try:
            seen_at = datetime.fromisoformat(self.cleaned_data["seen"])
        except ValueError:
            # Older than any change.
            seen_at = datetime.min
        note = self.cleaned_data["note"]
        remote_id = self.cleaned_data["remote_id"]
        match self.cleaned_data["decision"]:
            case Decision.Kind.BIND:
                return bind(delivery_id, agent=agent, remote_id=remote_id, note=note, seen_at=seen_at)
            case Decision.Kind.ABSENT:
                return declare_absent(delivery_id, agent=agent, note=note, seen_at=seen_at)
            case Decision.Kind.SEND_AGAIN:
                return send_again(delivery_id, agent=agent, note=note, seen_at=seen_at)
        return record_provider_informed(
            delivery_id, agent=agent, note=note, remote_id=remote_id, also=self.also, seen_at=seen_at
        )


def resolved_message(decision: Decision) -> str:
    if decision.kind in (Decision.Kind.ABSENT, Decision.Kind.SEND_AGAIN):
        return "Recorded. It will be sent again."
    if decision.kind == Decision.Kind.PROVIDER_INFORMED:
        return "Recorded. It is marked as received, and deliveries that were waiting for it continue."
    if decision.remote_id:
        return f"Recorded. It now has the ID {decision.remote_id}, and deliveries that were waiting for it continue."
    return "Recorded. It is marked as received."
