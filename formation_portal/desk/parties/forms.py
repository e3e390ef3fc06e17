"""What an agent posts to record a screening check of a party: as it was typed, and what was wrong with it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from django.http import QueryDict
from django.utils.timezone import localdate

from formation_portal.reviews.models import MAX_TEXT, ScreeningKind, ScreeningOutcome
from formation_portal.reviews.transactions import ReviewRefused
from formation_portal.ui.forms.controls import Option, Problem, as_options


@dataclass(frozen=True, slots=True)
class ScreeningForm:
    """The form, as it stands or as it was typed. A browser never sends a file twice, so that is chosen again."""

    kind: str = ""
    done_on: str = ""
    outcome: str = ""
    text: str = ""
    has_file: bool = False
    errors: Mapping[str, str] = field(default_factory=dict)

    limit = MAX_TEXT

    @classmethod
    def read(cls, posted: QueryDict, *, has_file: bool) -> "ScreeningForm":
        """From a form."""
        kind, done_on, outcome, text = (posted.get(name, "") for name in ("kind", "done_on", "outcome", "text"))
        return cls(kind, done_on, outcome, text.replace("\r\n", "\n"), has_file)

    @property
    def kinds(self) -> tuple[Option, ...]:
        """The checks to choose from."""
        return as_options((("", "Choose"), *ScreeningKind.choices), self.kind)

    @property
    def outcomes(self) -> tuple[Option, ...]:
        """The outcomes to choose from."""
        return as_options((("", "Choose"), *ScreeningOutcome.choices), self.outcome)

    @property
    def today(self) -> str:
        """The last day that can be entered."""
        return localdate().isoformat()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What was wrong, in the order of the controls."""
        names = ("kind", "done_on", "outcome", "text", "file")
        return tuple(Problem(f"screening-{one}", self.errors[one]) for one in names if one in self.errors)

    def with_error(self, refused: ReviewRefused) -> "ScreeningForm":
        """The same with what was wrong at its control."""
        again = {"file": "Choose the file again."} if self.has_file else {}
        return replace(self, errors=again | {refused.field: refused.message} | refused.others)
