"""What the page of one section about the entity shows."""

from dataclasses import dataclass
from functools import cache, cached_property, partial

from django.urls import reverse

from formation_portal.applications.documents import EarlierFiles
from formation_portal.applications.draft import Draft
from formation_portal.contract.rules import Verdict
from formation_portal.contract.schema import Section
from formation_portal.portal.read_back import share_class_choices
from formation_portal.relay.problems import LocatedProblem

from . import moments
from .answers_page import AnswersPage, accepted_words
from .arrivals import Arrivals, arrivals
from .came_back import came_back
from .closed import reason
from .consequences import foreseen
from .likely import likely
from .lists import NeedRow, need_rows
from .sheet import Sheet
from .slots import SlotRow, slot_rows


@dataclass(frozen=True, kw_only=True)
class SectionPage(AnswersPage):
    """One section, ready to draw."""

    section: Section
    arrivals: Arrivals

    template = "portal/section.html"
    closed_template = "portal/_section_closed.html"

    @property
    def url(self) -> str:
        return self._url("section", self.section.key)

    @property
    def overview_url(self) -> str:
        return self._url("overview")

    @property
    def title(self) -> str:
        return self.section.title

    @property
    def version(self) -> int:
        return self.draft.version(self.section.key)

    @property
    def asks(self) -> bool:
        """Whether there are questions, and not documents only."""
        return bool(self.sheet.asked)

    @property
    def holder(self) -> str:
        return self.section.key

    @property
    def closed(self) -> str:
        """Why nothing can be changed, also where everything here was accepted."""
        names = {one.spec.name for one in self.sheet.asked if not one.spec.provided_by_agent}
        is_accepted = bool(names) and names <= self.sheet.locked and all(slot.is_locked for slot in self.slots)
        return reason(self.draft.application) or accepted_words(is_accepted)

    @property
    def note(self) -> str:
        """Why nothing is asked at present, where a rule says so."""
        return "" if self._verdict.active else self._verdict.reason

    @property
    def why(self) -> str:
        """Why the section is asked, where a rule says so."""
        return self._verdict.reason if self._verdict.active else ""

    @property
    def _verdict(self) -> Verdict:
        return self.draft.form_state.section(self.section)

    @property
    def saved_at(self) -> str:
        """When an answer of this section was last saved; nothing before the first."""
        row = self.draft.sections.get(self.section.key)
        return moments.moment(row.updated_at) if row else ""

    @cached_property
    def needs(self) -> tuple[NeedRow, ...]:
        """What this section still needs, each with the way to it on this page."""
        return need_rows(self.draft.needs_of_section(self.section.key), self.sheet)

    def _is_about(self, trouble: LocatedProblem) -> bool:
        return trouble.section == self.section.key

    @property
    def slots(self) -> tuple[SlotRow, ...]:
        return slot_rows(
            self.draft,
            None,
            only=self.section.key,
            is_in_form=True,
            refused=self.refused,
            arrivals=self.arrivals,
            earlier=self.earlier,
            came_back=self.came_back,
        )


def section_page(draft: Draft, section: Section, *, earlier: EarlierFiles | None = None) -> SectionPage:
    """The page as the draft stands."""
    row = draft.sections.get(section.key)
    board = arrivals(draft.application)
    arrival = board.of_entity(section.fields, changed_at=row.updated_at if row else None)
    returned = came_back(draft)
    sheet = Sheet(
        schema=draft.schema,
        asked=draft.form_state.questions(section),
        raw=draft.raw(section),
        answers=draft.record.answers,
        refused=arrival.refused,
        overlong=draft.overlong,
        share_classes=share_class_choices(draft),
        record=draft.record,
        likely=likely(draft),
        foreseen=cache(partial(foreseen, draft, section.fields)),
        shares_url=reverse("portal:shares", args=[draft.application.reference]),
        locked=returned.locks.answers_of(""),
        notes=returned.at_answers(section.key),
    )
    return SectionPage(
        draft=draft,
        section=section,
        sheet=sheet,
        arrival=arrival,
        arrivals=board,
        earlier=earlier,
        came_back=returned,
    )
