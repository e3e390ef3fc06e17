"""What an agent posts to decide about a case: as it was typed, and what was wrong with it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date

from django.contrib.auth.models import AbstractBaseUser
from django.http import QueryDict
from django.utils.dateparse import parse_date
from django.utils.timezone import localdate

from formation_portal.applications.draft import Draft
from formation_portal.reviews.decisions import APPROVE, DECLINE, INCORPORATE, Registration, confirm_proposal, decide
from formation_portal.reviews.models import MAX_REGISTER_NUMBER, MAX_TEXT, DeclineReason, ReviewDecision
from formation_portal.reviews.transactions import ReviewRefused, ReviewVersion
from formation_portal.ui.forms.controls import Option, Problem, as_options

from ..documents import acknowledged_documents

# No company that is formed here was registered before; a year of two digits is a slip.
_FIRST_YEAR = 1900

# The controls in their order, each with the id of what is gone to where something is wrong with it.
_IDS = {
    "deed": "ruling-deed",
    "reason": "ruling-reason",
    "register_number": "ruling-number",
    "registered_on": "ruling-registered",
    "text": "ruling-text",
    "confirmed": "ruling-confirmed",
    "why": "ruling-why",
}


@dataclass(frozen=True, slots=True)
class DecisionForm:
    """The form, as it stands or as it was typed. `why` is what a second agent says who refuses."""

    deed: str = ""
    reason: str = ""
    text: str = ""
    why: str = ""
    # Of an incorporation: as typed, and whether it was confirmed.
    register_number: str = ""
    registered_on: str = ""
    confirmed: bool = False
    opens_next: bool = False
    # Whether a shared text was inserted just now.
    is_filled: bool = False
    # Whether it was pressed with a pointer, or asked about once more.
    is_certain: bool = False
    # The documents that are decided about without having been opened.
    acknowledged: tuple[int, ...] = ()
    errors: Mapping[str, str] = field(default_factory=dict)

    limit = MAX_TEXT
    number_limit = MAX_REGISTER_NUMBER

    @classmethod
    def read(cls, posted: QueryDict) -> "DecisionForm":
        """From a form. The button that approves at once says so itself, whatever else is chosen."""
        at_once = "at_once" in posted
        return cls(
            deed=APPROVE if at_once else posted.get("deed", ""),
            reason=posted.get("reason", ""),
            text=_typed(posted, "text"),
            why=_typed(posted, "why"),
            register_number=" ".join(_typed(posted, "register_number").split()),
            registered_on=posted.get("registered_on", "").strip(),
            confirmed="confirmed" in posted,
            opens_next=at_once or posted.get("then") == "next",
            is_certain=posted.get("certain") == "1",
            acknowledged=acknowledged_documents(posted),
        )

    @property
    def typed(self) -> tuple[tuple[str, str], ...]:
        """The texts by their labels, to be copied where the form is gone."""
        return ("Message to the customer", self.text), ("Reason for not confirming", self.why)

    @property
    def reasons(self) -> tuple[Option, ...]:
        """The reasons of a decline, to choose from."""
        return as_options((("", "Choose"), *DeclineReason.choices), self.reason)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What was wrong, in the order of the controls; what is wrong with the whole stands at the first one."""
        found = ((_IDS[name], self.errors.get(name, "")) for name in _IDS)
        return tuple(Problem(id_, text) for id_, text in found if text)

    def with_error(self, refused: ReviewRefused) -> "DecisionForm":
        """The same with what was wrong at its control."""
        first = refused.field if refused.field in _IDS else "deed"
        return replace(self, errors={first: refused.message} | refused.others)


class NotCertain(Exception):
    """An approval or a decline was posted by keyboard, or without script: it is asked about once more."""


def decide_as_posted(
    draft: Draft, form: DecisionForm, *, by: AbstractBaseUser, version: ReviewVersion
) -> ReviewDecision:
    """Do what the form says. Raises as `decide`, ReviewRefused with all that is wrong with the form at once, and
    NotCertain."""
    if errors := dict(_errors(form)):
        (first, message), *others = errors.items()
        raise ReviewRefused(message, field=first, others=dict(others))
    if form.deed in (APPROVE, DECLINE) and not form.is_certain:
        raise NotCertain
    day = posted_day(form.registered_on) if form.deed == INCORPORATE else None
    return decide(
        draft,
        form.deed,
        text=form.text,
        reason=form.reason if form.deed == DECLINE else "",
        registration=Registration(form.register_number, day) if day else None,
        acknowledged=form.acknowledged,
        by=by,
        version=version,
    )


def confirm_as_posted(
    draft: Draft, form: DecisionForm, *, by: AbstractBaseUser, version: ReviewVersion
) -> ReviewDecision:
    """Confirm a colleague's approval or decline. Raises as `confirm_proposal`, and NotCertain."""
    if not form.is_certain:
        raise NotCertain
    return confirm_proposal(draft, acknowledged=form.acknowledged, by=by, version=version)


def _errors(form: DecisionForm) -> Iterator[tuple[str, str]]:
    """What is wrong with the form, by its controls, in their order."""
    declines, incorporates = form.deed == DECLINE, form.deed == INCORPORATE
    if declines and form.reason not in DeclineReason.values:
        yield "reason", "Select a reason."
    if incorporates:
        number, day = form.register_number, posted_day(form.registered_on)
        if not number:
            yield "register_number", "Enter the registration number."
        elif len(number) > MAX_REGISTER_NUMBER or not number.isprintable():
            yield "register_number", f"Use {MAX_REGISTER_NUMBER} plain characters or fewer."
        if day is None:
            yield "registered_on", "Enter the date of registration."
        elif day > localdate():
            yield "registered_on", "Enter a date that is not in the future."
    if len(form.text) > MAX_TEXT:
        yield "text", f"Use {MAX_TEXT:,} characters or fewer."
    elif declines and not form.text.strip():
        yield "text", "Tell the customer why."
    if incorporates and not form.confirmed:
        yield "confirmed", "Confirm that the number and date are as the registry has them."


def posted_day(text: str) -> date | None:
    """A day as a date control posts it; None for anything else, and for years that no register has."""
    try:
        found = parse_date(text)
    except ValueError:
        return None
    return found if found and found.year >= _FIRST_YEAR else None


def _typed(posted: Mapping[str, str], name: str) -> str:
    return posted.get(name, "").replace("\x00", " ").replace("\r\n", "\n")
