"""Read the form that records a screening check of a party."""

from typing import Any

from django import forms
from django.contrib.auth.models import AbstractBaseUser
from django.utils.timezone import localdate

from formation_portal.applications.draft import Draft
from formation_portal.applications.parties import PartyRow
from formation_portal.reviews.models import MAX_TEXT, ScreeningKind, ScreeningOutcome
from formation_portal.reviews.screening import record_screening
from formation_portal.reviews.transactions import ReviewRefused

from ..decisions.forms import DayField

_SELECT_KIND = "Select a check."
_SELECT_OUTCOME = "Select an outcome."
_ENTER_DATE = "Enter the date of the check."
_FILE_TYPES = ".pdf,.jpg,.jpeg,.png,application/pdf,image/jpeg,image/png"


class ScreeningForm(forms.Form):
    """A screening check. A browser forgets a chosen file, so after an error the file is chosen again."""

    use_required_attribute = False

    kind = forms.ChoiceField(
        label="Check",
        choices=(("", "Choose"), *ScreeningKind.choices),
        error_messages={"required": _SELECT_KIND, "invalid_choice": _SELECT_KIND},
    )
    done_on = DayField(
        widget=forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"}),
        error_messages={"required": _ENTER_DATE, "invalid": _ENTER_DATE},
    )
    outcome = forms.ChoiceField(
        choices=(("", "Choose"), *ScreeningOutcome.choices),
        error_messages={"required": _SELECT_OUTCOME, "invalid_choice": _SELECT_OUTCOME},
    )
    text = forms.CharField(
        label="What was found",
        max_length=MAX_TEXT,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Optional if it is clear. Only colleagues can see it.",
        error_messages={
            "required": "Enter what was found, and why you cleared it.",
            "max_length": f"Use {MAX_TEXT:,} characters or fewer.",
        },
    )
    file = forms.FileField(
        label="Report",
        required=False,
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": _FILE_TYPES}),
        help_text="PDF, JPEG or PNG, up to 10\u00a0MB.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs | {"auto_id": "screening-%s"})
        self.fields["done_on"].widget.attrs["max"] = localdate().isoformat()
        needs_text = self.data.get("outcome") in (ScreeningOutcome.CLEARED, ScreeningOutcome.MATCH)
        self.fields["text"].required = needs_text or not self.is_bound

    def clean(self) -> None:
        """Ask for a file again where another control is wrong."""
        if self.errors and "file" in self.files:
            self.add_error("file", "Choose the file again.")

    def add_refusal(self, refused: ReviewRefused) -> None:
        self.add_error(refused.field or None, refused.message)
        if "file" in self.files and "file" not in self.errors:
            self.add_error("file", "Choose the file again.")

    def store(self, draft: Draft, party: PartyRow, *, by: AbstractBaseUser) -> None:
        values = self.cleaned_data
        record_screening(
            draft,
            party,
            kind=values["kind"],
            done_on=values["done_on"],
            outcome=values["outcome"],
            text=values["text"],
            upload=values["file"],
            by=by,
        )
