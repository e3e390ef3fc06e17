"""Read the forms that pass on or dismiss a status that the formation service reported."""

from typing import Any

from django import forms
from django.contrib.auth.models import AbstractBaseUser

from formation_portal.applications.draft import Draft
from formation_portal.reviews.decisions import DECLINE, RETURN
from formation_portal.reviews.models import MAX_TEXT
from formation_portal.reviews.service_status import dismiss, pass_on
from formation_portal.reviews.transactions import ReviewVersion

_SELECT = "Select a decision."
_TOO_LONG = f"Use {MAX_TEXT:,} characters or fewer."


class ServiceStatusForm(forms.Form):
    """A form about the status on the page. `card_name` is the form's name in the card's template."""

    id_prefix: str
    card_name: str
    number = forms.IntegerField(widget=forms.HiddenInput)
    sight = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs | {"auto_id": f"{self.id_prefix}-%s"})

    @property
    def version(self) -> ReviewVersion:
        return ReviewVersion.parse(self.cleaned_data["sight"])

    def store(self, draft: Draft, *, by: AbstractBaseUser) -> None:
        """Apply the agent's decision. Raises ClaimedByColleague, ReviewChanged, ReviewRefused and Closed."""
        raise NotImplementedError


class PassOnForm(ServiceStatusForm):
    """The agent's own message to the customer."""

    id_prefix = "pass-on"
    card_name = "pass_on_form"
    decision = forms.ChoiceField(
        label="Decision",
        widget=forms.RadioSelect,
        choices=((RETURN, "Return for changes"), (DECLINE, "Decline. This is final")),
        error_messages={"required": _SELECT, "invalid_choice": _SELECT},
    )
    text = forms.CharField(
        label="Message to the customer",
        max_length=MAX_TEXT,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="The customer reads your words alone, never the formation service’s.",
        error_messages={"required": "Tell the customer why.", "max_length": _TOO_LONG},
    )

    def store(self, draft: Draft, *, by: AbstractBaseUser) -> None:
        values = self.cleaned_data
        pass_on(draft, values["number"], values["decision"], text=values["text"], by=by, version=self.version)


class DismissalForm(ServiceStatusForm):
    """The reason for dismissing the status."""

    id_prefix = "dismissal"
    card_name = "dismissal_form"
    reason = forms.CharField(
        label="Reason for dismissing",
        max_length=MAX_TEXT,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="For colleagues. The application stays as it is.",
        error_messages={"required": "Enter a reason.", "max_length": _TOO_LONG},
    )

    def store(self, draft: Draft, *, by: AbstractBaseUser) -> None:
        values = self.cleaned_data
        dismiss(draft, values["number"], reason=values["reason"], by=by, version=self.version)
