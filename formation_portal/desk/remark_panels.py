"""What was asked and noted at each place of a case, and the form to ask there: as desk/_remark.html draws it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.models import AbstractBaseUser
from django.urls import reverse

from formation_portal.applications.draft import Draft
from formation_portal.reviews.changes_since import ReviewVersion, current_version
from formation_portal.reviews.models import Note, Query, QueryReason
from formation_portal.reviews.targets import Target, field_at, holder_name, label_of
from formation_portal.ui.forms.controls import control_id
from formation_portal.ui.readback import answer_in_words

from .masks import Mask, is_masked, mask_of
from .offers import can_review
from .remark_form import RemarkForm, form_at


@dataclass(frozen=True, slots=True)
class RemarkLine:
    """A remark as it is read back. It is drafted, asked, answered or settled; the addresses are where it is ended.

    `is_number` where a number that somebody is known by is proposed; with `mask` that alone is to be seen of it."""

    id: str
    state: str
    tone: str
    reason: str
    text: str
    proposal: str
    is_number: bool
    mask: Mask | None
    reply: str
    replied_at: datetime | None
    at: datetime
    who: str
    round: int | None
    removal_url: str
    settlement_url: str

    @property
    def is_settled(self) -> bool:
        return self.state == "Resolved"


@dataclass(frozen=True, slots=True)
class NoteLine:
    """A word among colleagues; its writer can take it back."""

    who: str
    at: datetime
    text: str
    removal_url: str


@dataclass(frozen=True, slots=True)
class Panel:
    """Everything about one place. `form` is None where the case is not under review, or where the form is fetched from
    `ask_url`; `is_open` opens it at once."""

    reference: str
    place: Target
    label: str
    whose: str
    sight: ReviewVersion
    back: str
    remarks: tuple[RemarkLine, ...]
    notes: tuple[NoteLine, ...]
    form: RemarkForm | None
    has_draft: bool
    ask_url: str = ""
    is_open: bool = False

    @property
    def id(self) -> str:
        """Where one comes back to after a deed here."""
        return place_id(self.place)

    @property
    def settled(self) -> tuple[RemarkLine, ...]:
        return tuple(line for line in self.remarks if line.is_settled)

    @property
    def standing(self) -> tuple[RemarkLine, ...]:
        """What is asked at present."""
        return tuple(line for line in self.remarks if not line.is_settled)


class Panels:
    """The panels of one page of a case. Two queries when the first is asked for, and one where no sight is given.

    `back` is the address of the page that they stand on: every deed leads back there. `lazily` is for a page with many
    places: the forms are fetched when somebody asks for one. `shows_numbers` is for whoever has asked to see those that
    people are known by.
    """

    def __init__(
        self,
        draft: Draft,
        *,
        reader: AbstractBaseUser,
        back: str,
        sight: ReviewVersion | None = None,
        lazily: bool = False,
        shows_numbers: bool = False,
    ) -> None:
        self.draft = draft
        self.reader = reader
        self.back = back.partition("#")[0]
        self.sight = sight or current_version(draft.application)
        self.lazily = lazily
        self.shows_numbers = shows_numbers

    @cached_property
    def all(self) -> tuple[Query, ...]:
        """Every remark but those that were dropped, in their order."""
        return tuple(self.draft.application.queries.filter(dropped_at=None).select_related("by"))

    @property
    def open(self) -> tuple[Query, ...]:
        """Those that ask for something still."""
        return tuple(remark for remark in self.all if remark.is_open)

    @cached_property
    def _remarks(self) -> dict[Target, list[Query]]:
        return _by_place(self.all)

    @cached_property
    def _notes(self) -> dict[Target, list[Note]]:
        return _by_place(self.draft.application.notes.filter(removed_at=None).select_related("by"))

    @property
    def remarked(self) -> tuple[Target, ...]:
        """The places that anything was asked or noted about, in the order in which that began."""
        return tuple(dict.fromkeys((*self._remarks, *self._notes)))

    @property
    def drafted(self) -> tuple[Query, ...]:
        """What goes out with a return."""
        return tuple(remark for remark in self.all if remark.is_draft)

    def at(self, place: Target, *, form: RemarkForm | None = None) -> Panel:
        """The panel of a place, whether or not the application still has it. With a form, that one, opened."""
        asked = self._remarks.get(place, [])
        drafted = next((one for one in asked if one.is_draft), None)
        label = label_of(self.draft, place)
        can_ask = label is not None and can_review(self.draft, self.reader)
        is_given = can_ask and not self.lazily
        return Panel(
            reference=self.draft.application.reference,
            place=place,
            label=next((one.label for one in asked), "") if label is None else label,
            whose=holder_name(self.draft, place),
            sight=self.sight,
            back=f"{self.back}#{place_id(place)}",
            remarks=tuple(self._line(one) for one in reversed(asked)),
            notes=tuple(self._note(one) for one in self._notes.get(place, ())),
            form=form or (form_at(self.draft, place, drafted) if is_given else None),
            has_draft=drafted is not None,
            ask_url=self._ask_url(place) if can_ask and self.lazily else "",
            is_open=form is not None,
        )

    def _ask_url(self, place: Target) -> str:
        query = urlencode({"place": str(place), "back": f"{self.back}#{place_id(place)}"})
        return f"{reverse('desk:remarks', args=[self.draft.application.reference])}?{query}"

    def _line(self, remark: Query) -> RemarkLine:
        named = (self.draft.application.reference, remark.pk)
        can_move = can_review(self.draft, self.reader) and remark.is_open
        spec = field_at(self.draft, remark.target)
        state, tone = _state(remark)
        proposal = answer_in_words(spec, remark.proposal) if spec and remark.proposal is not None else ""
        is_number = bool(proposal) and is_masked(self.draft, remark.target)
        return RemarkLine(
            id=f"proposal-{remark.pk}",
            state=state,
            tone=tone,
            reason="" if remark.reason == QueryReason.OTHER else QueryReason(remark.reason).label,
            text=remark.text,
            proposal=proposal,
            is_number=is_number,
            mask=mask_of(proposal) if is_number and not self.shows_numbers else None,
            reply=remark.reply,
            replied_at=remark.replied_at,
            at=remark.sent_at or remark.at,
            who="" if remark.sent_at or remark.by is None else remark.by.called,
            round=remark.round,
            removal_url=reverse("desk:remark_removal", args=named) if can_move and remark.is_draft else "",
            settlement_url=reverse("desk:settlement", args=named) if can_move and not remark.is_draft else "",
        )

    def _note(self, note: Note) -> NoteLine:
        url = reverse("desk:note_removal", args=(self.draft.application.reference, note.pk))
        who = note.by.called if note.by else ""
        return NoteLine(who, note.at, note.text, url if note.by_id == self.reader.pk else "")


def place_id(place: Target) -> str:
    """The id of what stands at a place of a page."""
    return f"at:{control_id(str(place))}"


def _state(remark: Query) -> tuple[str, str]:
    if remark.settled_at:
        return "Resolved", "met"
    if remark.is_draft:
        return "Drafted", "half"
    return ("Answered", "open") if remark.replied_at else ("Asked", "heed")


def _by_place(rows: Iterable[Any]) -> dict[Target, list[Any]]:
    found: dict[Target, list[Any]] = {}
    for row in rows:
        found.setdefault(row.target, []).append(row)
    return found
