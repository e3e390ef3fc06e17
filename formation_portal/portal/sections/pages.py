"""What every page with questions shows, whatever it asks about; and the page of one section."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from itertools import groupby
from typing import ClassVar, Self

from django.urls import reverse
from django.utils.translation import gettext

from formation_portal.applications.documents import EarlierFiles
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Change, Document
from formation_portal.applications.parties import PartyRow
from formation_portal.applications.readback import share_class_choices
from formation_portal.applications.services import SaveResult
from formation_portal.contract.localisation import ngettext
from formation_portal.contract.rules import Activation
from formation_portal.contract.schema import Section
from formation_portal.relay.delivery_status import ApplicationDeliveries, DeliveryStatus, deliveries_for_customer
from formation_portal.relay.problems import LocatedProblem
from formation_portal.ui import formats
from formation_portal.ui.forms.controls import Problem, suggestions
from formation_portal.ui.forms.form import QuestionForm
from formation_portal.ui.forms.question import AnswerRow, QueryNote, Question
from formation_portal.ui.forms.region import Region, answer_rows
from formation_portal.ui.glossary import GlossaryPlace, Term, explained_term, place_of, terms_in

from ..feedback import ReviewFeedback, answers_delivery, refused_answers, review_feedback
from ..pages import ApplicationPage, Link, file_problems, need_rows, read_only_reason
from ..slots import SlotRow, slot_rows
from .changes import inactive_warnings

# More would be a list to read, and no help.
_MOST_BESIDE_A_FORM = 6


@dataclass(frozen=True, slots=True)
class QuestionEntry:
    """Questions under one heading; without a title they stand under the page's own.

    The note says why they are asked, or why not at present.
    """

    id: str
    title: str
    regions: tuple[Region, ...]
    # None where there is never one; an empty one may come with a choice.
    note: str | None = None
    # Whether the title is in the portal's words, and not in the schema's.
    is_ours: bool = False
    # The documents that stand with these questions.
    slots: tuple[SlotRow, ...] = ()

    @property
    def is_conditional(self) -> bool:
        """Whether rules can hide all of it."""
        is_by_rule = bool(self.regions) and all(region.is_conditional for region in self.regions)
        return is_by_rule and not self.note and not self.slots

    @property
    def is_complete(self) -> bool:
        """Whether something is answered, nothing is needed, and nothing is said against an answer."""
        shown = [question for region in self.regions if region.shown for question in region.questions]
        is_settled = all(one.mark in ("met", "") and not (one.note or one.doubt) for one in shown)
        return is_settled and any(one.is_answered for one in shown)

    @property
    def rows(self) -> tuple[AnswerRow, ...]:
        """The answers read back."""
        return tuple(row for row in answer_rows(self.regions) if row.value)


@dataclass(frozen=True, kw_only=True)
class QuestionPage(ApplicationPage):
    """The questions of one form in their application, ready to draw.

    `delivery` is how far the answers have come, and what the service said against them; `party` is whom its documents
    are about, None for the entity; `refused` says, by the key of the slot, why a file that was chosen just now was not
    taken, `earlier` are the reader's own files, to be offered once more, `feedback` is what our reviewer asks and has
    accepted.
    """

    form: QuestionForm
    delivery: DeliveryStatus
    party: PartyRow | None = None
    refused: Mapping[str, str] = field(default_factory=dict)
    earlier: EarlierFiles | None = None
    feedback: ReviewFeedback | None = None

    template: ClassVar[str]
    read_only_template: ClassVar[str]
    # Whether its reader sees this page of the application and no other.
    is_alone: ClassVar[bool] = False

    @property
    def url(self) -> str:
        raise NotImplementedError

    @property
    def title(self) -> str:
        raise NotImplementedError

    @property
    def stored_title(self) -> str:
        """The title in the language in which the form is stored."""
        return self.title

    @property
    def version(self) -> int:
        """Goes up with every save; what is posted names the one it was made from."""
        raise NotImplementedError

    @property
    def needs(self) -> tuple[Link, ...]:
        """What the page still needs, each with the way to it."""
        raise NotImplementedError

    @cached_property
    def entries(self) -> tuple[QuestionEntry, ...]:
        """The questions under the headings that the schema gives them."""
        runs = groupby(self.form.regions, key=lambda region: region.entry)
        return tuple(
            QuestionEntry(f"entry-{place}", title, tuple(regions)) for place, (title, regions) in enumerate(runs)
        )

    @property
    def answers(self) -> tuple[AnswerRow, ...]:
        """The answers read back, for a page that can't be changed any more."""
        return answer_rows(self.form.regions)

    @property
    def holder(self) -> str:
        """What our reviewer's questions call it: the key of a section, the token of a party or class."""
        return ""

    @property
    def notes(self) -> tuple[QueryNote, ...]:
        """What our reviewer asks about it as a whole."""
        return self.feedback.at_page(self.holder) if self.feedback else ()

    @property
    def slots(self) -> tuple[SlotRow, ...]:
        """The documents that it asks for."""
        return ()

    @property
    def common_slots(self) -> tuple[SlotRow, ...]:
        """Those of them that stand under a heading of their own."""
        return self.slots

    @property
    def problems(self) -> tuple[Question | Problem, ...]:
        """What the service said of no question here, then what cannot be read, or what it refused, in the order of the
        questions; then files not taken."""
        return (*self._unplaced, *self.form.problems, *file_problems(self.refused))

    @cached_property
    def _unplaced(self) -> tuple[Problem, ...]:
        """What the service said against this page, and against none of its questions or documents."""
        if not self.delivery.problems:
            return ()
        asked = {one.spec.name for one in self.form.asked}
        said = (
            one for one in self.delivery.problems if one.field not in asked and not one.slot and self._is_about(one)
        )
        return tuple(Problem("answers", message) for message in dict.fromkeys(one.message for one in said))

    def _is_about(self, trouble: LocatedProblem) -> bool:
        """Whether what was said against the holder of the answers belongs to this page."""
        return True

    @property
    def problems_title(self) -> str:
        """The heading of the error summary."""
        answers, files, count = "", "", len(self.refused)
        if self.form.problems:
            answers = self.form.problems_title
        elif self._unplaced:
            answers = gettext("The formation service asks for a change")
        if count:
            files = ngettext("{count} file could not be uploaded", "{count} files could not be uploaded", count)
        if answers and files:
            return gettext("{problems}, and {files}").format(problems=answers, files=files)
        return answers or files

    @property
    def problems_note(self) -> str:
        """What became of the rest."""
        said = [gettext("Everything else is saved.")]
        if self.form.overlong:
            said.append(gettext("Shorten it before you leave this page. Until then, we keep the earlier answer."))
        elif self.form.problems or self._unplaced:
            said.append(gettext("What you typed is kept as you typed it."))
        if self.refused:
            said.append(gettext("Choose the file again."))
        return " ".join(said)

    @property
    def jurisdiction(self) -> str:
        """The ISO code of the place where the company is formed."""
        return str(self.draft.application.product.get("jurisdiction", {}).get("iso_code", ""))

    @property
    def place(self) -> GlossaryPlace | None:
        """The same place, where the glossary knows its words."""
        return place_of(self.jurisdiction)

    @property
    def terms(self) -> list[Term]:
        """The terms of the glossary in the page's own words."""
        # The glossary finds the terms in the stored texts.
        texts = [self.stored_title, *(question.spec.original.label for question in self.form.asked)]
        return [explained_term(key, self.place) for key in terms_in(texts)[:_MOST_BESIDE_A_FORM]]

    def after(self, result: SaveResult) -> Self:
        """Return the page with what a save could not take: too long answers as typed, and refused files."""
        form = replace(self.form, overlong=result.overlong)
        return replace(self, form=form, refused=result.refused_files)

    def undo_url(self, change: Change) -> str:
        """Return the address that takes back the choices of a change."""
        return self._url("choice_restoration", str(change.pk))

    def removal_of(self, document: Document) -> str:
        """The address that asks whether to remove a document, and leads back to the page that asks for it."""
        return f"{self._url('document_removal', str(document.pk))}?next=page"


@dataclass(frozen=True, kw_only=True)
class SectionPage(QuestionPage):
    """One section, ready to draw."""

    section: Section
    deliveries: ApplicationDeliveries

    template = "portal/sections/section.html"
    read_only_template = "portal/sections/section_read_only.html"

    @property
    def url(self) -> str:
        return self._url("section", self.section.key)

    @property
    def title(self) -> str:
        return self.section.title

    @property
    def stored_title(self) -> str:
        return self.section.original.title

    @property
    def version(self) -> int:
        return self.draft.version(self.section.key)

    @property
    def asks(self) -> bool:
        """Whether there are questions, and not documents only."""
        return bool(self.form.asked)

    @property
    def holder(self) -> str:
        return self.section.key

    @property
    def read_only_reason(self) -> str:
        """Why nothing can be changed, also where everything here was accepted."""
        is_accepted = bool(self.form.locked) and self._is_accepted
        return read_only_reason(self.draft.application, is_accepted=is_accepted)

    @property
    def _is_accepted(self) -> bool:
        names = {one.spec.name for one in self.form.asked if not one.spec.provided_by_agent}
        return bool(names) and names <= self.form.locked and all(slot.is_locked for slot in self.slots)

    @property
    def activation(self) -> Activation:
        """Whether the section is asked at present, and why, where a rule says so."""
        return self.draft.form_state.section_activation(self.section)

    @property
    def saved_at(self) -> str:
        """When an answer of this section was last saved; nothing before the first."""
        row = self.draft.sections.get(self.section.key)
        return formats.time_or_day(row.updated_at) if row else ""

    @cached_property
    def needs(self) -> tuple[Link, ...]:
        """What this section still needs, each with the way to it on this page."""
        return need_rows(self.draft.needs_of_section(self.section.key), self.form)

    def _is_about(self, trouble: LocatedProblem) -> bool:
        return trouble.section == self.section.key

    @cached_property
    def slots(self) -> tuple[SlotRow, ...]:
        return slot_rows(
            self.draft,
            None,
            only=self.section.key,
            is_in_form=True,
            refused=self.refused,
            deliveries=self.deliveries,
            earlier=self.earlier,
            feedback=self.feedback,
        )


def section_page(draft: Draft, section: Section, *, earlier: EarlierFiles | None = None) -> SectionPage:
    """The page as the draft stands."""
    row = draft.sections.get(section.key)
    deliveries = deliveries_for_customer(draft.application)
    status = deliveries.of_section(section)
    delivery = answers_delivery(deliveries, status, changed_at=row.updated_at if row else None)
    feedback = review_feedback(draft)
    form = QuestionForm(
        schema=draft.schema,
        asked=draft.form_state.questions(section),
        raw=draft.raw(section),
        answers=draft.record.answers,
        impossible=draft.form_state.impossible_answers(),
        advice=draft.form_state.advised_answers(),
        refused=refused_answers(delivery),
        share_classes=share_class_choices(draft),
        record=draft.record,
        suggestions=suggestions(draft),
        warnings=cache(partial(inactive_warnings, draft, section.fields)),
        shares_url=reverse("portal:shares", args=[draft.application.reference]),
        locked=feedback.locks.answers_of(""),
        notes=feedback.at_answers(section.key),
    )
    return SectionPage(
        draft=draft,
        section=section,
        form=form,
        delivery=delivery,
        deliveries=deliveries,
        earlier=earlier,
        feedback=feedback,
    )
