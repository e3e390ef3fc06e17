"""What the page of one section about the entity shows."""

from dataclasses import dataclass
from functools import cached_property

from django.urls import reverse

from formation_portal.applications.drafts import Draft
from formation_portal.contract.field import Choice
from formation_portal.contract.schema import Section

from . import moments
from .arrivals import Arrival, Arrivals, arrivals
from .closed import reason
from .lists import NeedRow, need_rows
from .questions import Question
from .sheet import Sheet
from .slots import SlotRow, slot_rows
from .words import AnswerRow, answer_rows


@dataclass(frozen=True)
class SectionPage:
    """One section, ready to draw."""

    draft: Draft
    section: Section
    sheet: Sheet
    arrival: Arrival
    arrivals: Arrivals

    @property
    def version(self) -> int:
        """Goes up with every save; what is posted names the one it was made from."""
        return self.draft.version(self.section.key)

    @property
    def answers(self) -> tuple[AnswerRow, ...]:
        """The answers read back, for a page that can't be changed any more."""
        return answer_rows(self.sheet)

    @property
    def closed(self) -> str:
        """Why nothing can be changed."""
        return reason(self.draft.application)

    @property
    def problems(self) -> tuple[Question, ...]:
        """What cannot be read, or what the service refused, in the order of the questions."""
        return self.sheet.problems

    @property
    def asks(self) -> bool:
        """Whether there are questions, and not documents only."""
        return bool(self.sheet.asked)

    @property
    def overview_url(self) -> str:
        return reverse("portal:overview", args=[self.draft.application.reference])

    @property
    def company(self) -> str:
        return self.draft.title

    @property
    def title(self) -> str:
        return self.section.title

    @property
    def url(self) -> str:
        return reverse("portal:section", args=[self.draft.application.reference, self.section.key])

    @property
    def note(self) -> str:
        """Why nothing is asked at present, where a rule says so."""
        verdict = self.draft.standing.section(self.section)
        return "" if verdict.active else verdict.reason

    @property
    def saved_at(self) -> str:
        """When an answer of this section was last saved; nothing before the first."""
        row = self.draft.sections.get(self.section.key)
        return moments.moment(row.updated_at) if row else ""

    @property
    def delivery(self) -> str:
        return self.arrival.state

    needs_title = "Still needed here"

    @cached_property
    def needs(self) -> tuple[NeedRow, ...]:
        """What this section still needs, each with the way to it on this page."""
        return need_rows(self.draft.needs_of_section(self.section.key), self.sheet)

    @property
    def slots(self) -> tuple[SlotRow, ...]:
        return slot_rows(self.draft, None, back=self.url, only=self.section.key, arrivals=self.arrivals)


def section_page(draft: Draft, section: Section) -> SectionPage:
    """The page as the draft stands."""
    row = draft.sections.get(section.key)
    board = arrivals(draft.application)
    arrival = board.of_entity(changed_at=row.updated_at if row else None)
    sheet = Sheet(
        schema=draft.schema,
        asked=draft.standing.questions(section),
        raw=draft.raw(section),
        answers=draft.record.answers,
        refused=arrival.refused,
        share_classes=share_class_choices(draft),
        shares_url=reverse("portal:shares", args=[draft.application.reference]),
    )
    return SectionPage(draft, section, sheet, arrival, board)


def share_class_choices(draft: Draft) -> tuple[Choice, ...]:
    """The classes defined so far, for questions that refer to one."""
    return tuple(Choice(row.token, row.label) for row in draft.share_classes)
