"""Read the forms by which an agent decides about a case, or confirms or refuses a proposal."""

from collections.abc import Collection, Mapping
from datetime import date
from typing import Self

from django import forms
from django.contrib.auth.models import AbstractBaseUser
from django.http import QueryDict
from django.utils.timezone import localdate

from formation_portal.applications.draft import Draft
from formation_portal.reviews.decision_rules import DECISIONS
from formation_portal.reviews.decisions import APPROVE, Registration, decide
from formation_portal.reviews.models import MAX_REGISTER_NUMBER, MAX_TEXT, DecisionKind, DeclineReason, ReviewDecision
from formation_portal.reviews.transactions import ReviewRefused, ReviewVersion
from formation_portal.ui.forms.controls import Option, as_options

from ..shared_texts import SharedTexts

_FIRST_YEAR = 1900
_TOO_LONG = f"Use {MAX_TEXT:,} characters or fewer."


class DayField(forms.DateField):
    """A day up to today, as posted by a date control. Years before 1900 are slips."""

    input_formats = ["%Y-%m-%d"]

    def validate(self, value: date | None) -> None:
        super().validate(value)
        if value is not None and value.year < _FIRST_YEAR:
            raise forms.ValidationError(self.error_messages["invalid"])
        if value is not None and value > localdate():
            raise forms.ValidationError("Enter a date that is not in the future.")


class DecisionForm(forms.Form):
    """A decision with its reason and its message to the customer; `why` is for refusing a proposal.

    A template draws the controls; their ids are "ruling-" and the field's name.
    """

    limit = MAX_TEXT
    number_limit = MAX_REGISTER_NUMBER
    # Set when a shared text was inserted.
    is_filled = False

    decision = forms.ChoiceField(
        choices=DecisionKind.choices, required=False, error_messages={"invalid_choice": "Select a decision."}
    )
    reason = forms.ChoiceField(
        choices=DeclineReason.choices, required=False, error_messages={"invalid_choice": "Select a reason."}
    )
    register_number = forms.CharField(required=False)
    registered_on = DayField(required=False, error_messages={"invalid": "Enter the date of registration."})
    text = forms.CharField(max_length=MAX_TEXT, required=False, error_messages={"max_length": _TOO_LONG})
    confirmed = forms.BooleanField(required=False)
    why = forms.CharField(max_length=MAX_TEXT, required=False, error_messages={"max_length": _TOO_LONG})

    @classmethod
    def read(cls, posted: QueryDict) -> Self:
        """Read a form. The button "at_once" overrides the choice with an approval."""
        typed = posted.copy()
        for name in ("text", "why"):
            typed[name] = posted.get(name, "").replace("\x00", " ").replace("\r\n", "\n")
        typed["register_number"] = " ".join(posted.get("register_number", "").replace("\x00", " ").split())
        if "at_once" in posted:
            typed["decision"] = APPROVE
        return cls(typed, auto_id="ruling-%s")

    @property
    def chosen(self) -> str:
        return str(self["decision"].value() or "")

    @property
    def required(self) -> Mapping[str, str]:
        """Return the controls that the chosen decision needs, each with its message."""
        return DECISIONS[self.chosen].required if self.chosen in DECISIONS else {}

    @property
    def typed(self) -> tuple[tuple[str, str], ...]:
        labels = {"text": "Message to the customer", "why": "Reason for not confirming"}
        return tuple((label, str(self[name].value() or "")) for name, label in labels.items())

    @property
    def reasons(self) -> tuple[Option, ...]:
        return as_options((("", "Choose"), *DeclineReason.choices), str(self["reason"].value() or ""))

    def clean_register_number(self) -> str:
        number: str = self.cleaned_data["register_number"]
        if len(number) > MAX_REGISTER_NUMBER or not number.isprintable():
            raise forms.ValidationError(f"Use {MAX_REGISTER_NUMBER} plain characters or fewer.")
        return number

    def clean(self) -> None:
        for name, message in self.required.items():
            if name not in self.errors and not self.cleaned_data.get(name):
                self.add_error(name, message)

    def add_refusal(self, refused: ReviewRefused) -> None:
        """Show the refusal as an error of its control, else of the decision."""
        self.add_error(refused.field if refused.field in self.fields else "decision", refused.message)

    def decide(
        self, draft: Draft, *, by: AbstractBaseUser, version: ReviewVersion, acknowledged: Collection[int]
    ) -> ReviewDecision:
        """Record the chosen decision with the values that it needs. Raises as `reviews.decisions.decide`."""
        values = self.cleaned_data
        reason = ""
        registration = None
        if "reason" in self.required:
            reason = values["reason"]
        if "register_number" in self.required:
            registration = Registration(values["register_number"], values["registered_on"])
        return decide(
            draft,
            values["decision"],
            text=values["text"],
            reason=reason,
            registration=registration,
            acknowledged=acknowledged,
            by=by,
            version=version,
        )

    def insert(self, texts: SharedTexts, chosen: str) -> None:
        self.data = dict(self.data.items()) | {"text": texts.inserted(str(self["text"].value()), chosen)}
        self.is_filled = True
