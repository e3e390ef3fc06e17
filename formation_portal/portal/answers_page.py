"""What every page with questions shows, whatever it asks about."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

from django.contrib.auth.models import AbstractBaseUser
from django.urls import reverse

from formation_portal.applications.documents import EarlierFiles
from formation_portal.applications.draft import Draft
from formation_portal.applications.history import Author
from formation_portal.applications.models import Document
from formation_portal.applications.parties import PartyRow
from formation_portal.contract.language import noted, say, say_count
from formation_portal.contract.rules import Standing
from formation_portal.portal.glossary import Term, explained, place_of, terms_in
from formation_portal.portal.options import Problem
from formation_portal.relay.problems import LocatedProblem

from .arrivals import Arrival
from .came_back import CameBack
from .closed import reason
from .consequences import Consequence, consequence
from .lists import file_problems
from .note import Note
from .questions import Question
from .sheet import Sheet
from .slots import SlotRow
from .words import AnswerRow, answer_rows

# More would be a list to read, and no help.
_MOST_BESIDE_A_FORM = 6


@dataclass(frozen=True, slots=True)
class UsedTerms:
    """The terms that a form uses, and where there are more."""

    terms: tuple[Term, ...]
    place: str
    url: str


@dataclass(frozen=True, kw_only=True)
class AnswersPage:
    """The questions of one sheet in their application, ready to draw.

    `party` is whom its documents are about, None for the entity; `refused` says, by the key of the slot, why a file
    that was chosen just now was not taken, `earlier` are the reader's own files, to be offered once more, `came_back`
    is what our reviewer asks and has accepted.
    """

    draft: Draft
    sheet: Sheet
    arrival: Arrival
    party: PartyRow | None = None
    refused: Mapping[str, str] = field(default_factory=dict)
    earlier: EarlierFiles | None = None
    came_back: CameBack | None = None

    template: ClassVar[str]
    closed_template: ClassVar[str]
    needs_heading: ClassVar[str] = noted("To complete")
    # Whether its reader sees this page of the application and no other.
    is_alone: ClassVar[bool] = False

    @property
    def url(self) -> str:
        raise NotImplementedError

    @property
    def title(self) -> str:
        raise NotImplementedError

    @property
    def version(self) -> int:
        """Goes up with every save; what is posted names the one it was made from."""
        raise NotImplementedError

    @property
    def company(self) -> str:
        return self.draft.title

    @property
    def delivery(self) -> str:
        """How far it has come, as components/delivery.html names it."""
        return self.arrival.state

    @property
    def delivery_why(self) -> str:
        """Why our team has it."""
        return self.arrival.why

    @property
    def closed(self) -> str:
        """Why nothing can be changed; empty while it can."""
        return reason(self.draft.application)

    @property
    def answers(self) -> tuple[AnswerRow, ...]:
        """The answers read back, for a page that can't be changed any more."""
        return answer_rows(self.sheet)

    @property
    def holder(self) -> str:
        """What our reviewer's questions call it: the key of a section, the token of a party or class."""
        return ""

    @property
    def notes(self) -> tuple[Note, ...]:
        """What our reviewer asks about it as a whole."""
        return self.came_back.at_page(self.holder) if self.came_back else ()

    @property
    def slots(self) -> tuple[SlotRow, ...]:
        """The documents that it asks for."""
        return ()

    @property
    def problems(self) -> tuple[Question | Problem, ...]:
        """What the service said of no question here, then what cannot be read, or what it refused, in the order of the
        questions; then files not taken."""
        return (*self._unplaced, *self.sheet.problems, *file_problems(self.refused))

    @cached_property
    def _unplaced(self) -> tuple[Problem, ...]:
        """What the service said against this page, and against none of its questions or documents."""
        asked = {one.spec.name for one in self.sheet.asked}
        said = (one for one in self.arrival.said if one.field not in asked and not one.slot and self._is_about(one))
        return tuple(Problem("answers", message) for message in dict.fromkeys(one.message for one in said))

    def _is_about(self, trouble: LocatedProblem) -> bool:
        """Whether what was said against the holder of the answers belongs to this page."""
        return True

    @property
    def problems_title(self) -> str:
        """The heading of the error summary."""
        answers = self.sheet.problems_title if self.sheet.problems else ""
        if self._unplaced and not answers:
            answers = say("The formation service asks for a change")
        count = len(self.refused)
        files = (
            say_count("{count} file could not be uploaded", "{count} files could not be uploaded", count)
            if count
            else ""
        )
        return say("{problems}, and {files}", problems=answers, files=files) if answers and files else answers or files

    @property
    def needs_title(self) -> str:
        """The heading of what is still needed."""
        return say(self.needs_heading)

    @property
    def problems_note(self) -> str:
        """What became of the rest."""
        said = [say("Everything else is saved.")]
        if self.sheet.overlong:
            said.append(say("Shorten it before you leave this page. Until then, we keep the earlier answer."))
        elif self.sheet.problems or self._unplaced:
            said.append(say("What you typed is kept as you typed it."))
        if self.refused:
            said.append(say("Choose the file again."))
        return " ".join(said)

    @property
    def used_terms(self) -> UsedTerms | None:
        """The terms of the glossary in the page's own words; None where there are none."""
        code = str(self.draft.application.product.get("jurisdiction", {}).get("iso_code", ""))
        place = place_of(code)
        words = (self.title, *(question.label for question in self.sheet.questions))
        found = terms_in(words)[:_MOST_BESIDE_A_FORM]
        if not found:
            return None
        url = reverse("portal:help_place", args=[code]) if place else reverse("portal:help")
        return UsedTerms(tuple(explained(key, place) for key in found), place.called if place else "", url)

    def consequence(self, was: Standing) -> Consequence | None:
        """What the last save has set aside since the application stood like this, as far as its reader may know it."""
        return consequence(self.draft, was)

    def author(self, user: AbstractBaseUser) -> Author:
        """Who changes what is posted, where `user` has sent it."""
        return user

    def removal_of(self, document: Document) -> str:
        """The address that asks whether to remove a document, and leads back to the page that asks for it."""
        return f"{self._url('document_removal', str(document.pk))}?next=page"

    def _url(self, view: str, *more: str) -> str:
        return reverse(f"portal:{view}", args=[self.draft.application.reference, *more])


def accepted_words(is_accepted: bool) -> str:
    """Why nothing can be changed where all of it was accepted; else nothing."""
    words = say("Our reviewer has accepted this. You can’t change it while you correct the rest.")
    return words if is_accepted else ""
