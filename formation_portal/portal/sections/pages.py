"""Build the page of a section, and the common base of all pages of questions."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import ClassVar, Self

from django.urls import reverse
from django.utils.translation import gettext

from formation_portal.applications.documents import EarlierFiles
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Change, Document
from formation_portal.applications.parties import PartyRow
from formation_portal.applications.services import SaveResult
from formation_portal.contract.advice import advised_entity_answers, validation_advice
from formation_portal.contract.localisation import ngettext
from formation_portal.contract.needs import contradictory_answers
from formation_portal.contract.rules import Activation
from formation_portal.contract.schema import Section
from formation_portal.relay.delivery_status import ApplicationDeliveries, DeliveryStatus, deliveries_for_customer
from formation_portal.relay.problems import LocatedProblem
from formation_portal.ui.forms.controls import Problem, Suggestions
from formation_portal.ui.forms.form import QuestionForm, Region, answer_rows
from formation_portal.ui.forms.question import AnswerRow, QueryNote, Question
from formation_portal.ui.glossary import GlossaryPlace, Term, explained_term, places, terms_in

from ..feedback import ReviewFeedback, answers_delivery, refused_answers, review_feedback
from ..pages import FormPage, Link, file_problems, need_rows, read_only_reason, time_words
from ..slots import SlotRow, slot_rows
from .changes import InactiveWarnings

# The most glossary terms beside a form: more would not help.
_MOST_BESIDE_A_FORM = 6


@dataclass(frozen=True, slots=True)
class QuestionEntry:
    """Questions under one heading; without a title, under the heading of the page."""

    id: str
    title: str
    regions: tuple[Region, ...]
    # Why the questions are asked, or not at present. None: never has a note; "": may get one after a choice.
    note: str | None = None
    # The title is the portal's own text, not the schema's.
    is_ours: bool = False
    # The documents shown with these questions.
    slots: tuple[SlotRow, ...] = ()

    @property
    def is_conditional(self) -> bool:
        is_by_rule = bool(self.regions) and all(region.id for region in self.regions)
        return is_by_rule and not self.note and not self.slots

    @property
    def is_complete(self) -> bool:
        """Tell whether there are answers, none is missing, and none has an objection, note or doubt."""
        questions = [question for region in self.regions if region.shown for question in region.questions]
        if any(question.mark not in ("met", "") or question.note or question.doubt for question in questions):
            return False
        return any(question.is_answered for question in questions)

    @property
    def rows(self) -> tuple[AnswerRow, ...]:
        return tuple(row for row in answer_rows(self.regions) if row.value)


@dataclass(frozen=True, kw_only=True)
class QuestionPage(FormPage):
    form: QuestionForm
    # The delivery of the answers to the formation service, with the service's objections.
    delivery: DeliveryStatus
    deliveries: ApplicationDeliveries
    feedback: ReviewFeedback
    # The party whose documents the page has; None for the entity.
    party: PartyRow | None = None
    # The errors of files refused just now, by the key of the slot.
    refused: Mapping[str, str] = field(default_factory=dict)
    # The reader's own files, to be reused.
    earlier: EarlierFiles | None = None

    template: ClassVar[str]
    read_only_template: ClassVar[str]
    # Whether the reader is a guest, who sees no other page of the application.
    is_guests: ClassVar[bool] = False

    @property
    def stored_title(self) -> str:
        """Return the title in the language of the stored form."""
        return self.title

    @property
    def saved_at(self) -> str:
        """Return the time of the last save of an answer, in words; "" before the first."""
        raise NotImplementedError

    @property
    def needs(self) -> tuple[Link, ...]:
        """Return the needs that the page can meet, with links to their controls, and advice that has no control."""
        raise NotImplementedError

    @cached_property
    def entries(self) -> tuple[QuestionEntry, ...]:
        """Return the questions under the schema's headings."""
        runs = groupby(self.form.regions, key=lambda region: region.entry)
        return tuple(
            QuestionEntry(f"entry-{place}", title, tuple(regions)) for place, (title, regions) in enumerate(runs)
        )

    @property
    def answers(self) -> tuple[AnswerRow, ...]:
        """Return the answers as text, for a read-only page."""
        return answer_rows(self.form.regions)

    @property
    def holder(self) -> str:
        """Return the holder of the answers: the key of a section, or the token of a party or share class."""
        raise NotImplementedError

    @property
    def notes(self) -> tuple[QueryNote, ...]:
        return self.feedback.at_page(self.holder)

    @cached_property
    def slots(self) -> tuple[SlotRow, ...]:
        """Return the document slots on the page: all of its party or, without a party, those of its section."""
        return slot_rows(
            self.draft,
            self.party,
            deliveries=self.deliveries,
            feedback=self.feedback,
            refused=self.refused,
            earlier=self.earlier,
            only="" if self.party else self.holder,
        )

    @property
    def common_slots(self) -> tuple[SlotRow, ...]:
        return self.slots

    @property
    def problems(self) -> tuple[Question | Problem, ...]:
        """Return the error summary: objections to the whole page, then answers with errors, then refused files."""
        return (*self._unplaced, *self.form.problems, *file_problems(self.refused))

    @cached_property
    def _unplaced(self) -> tuple[Problem, ...]:
        """Return the service's objections to the page that name none of its questions or documents."""
        names = {question.spec.name for question in self.form.asked}
        messages: dict[str, None] = {}
        for problem in self.delivery.problems:
            if problem.field not in names and not problem.slot and self._is_about(problem):
                messages[problem.message] = None
        return tuple(Problem("answers", message) for message in messages)

    def _is_about(self, problem: LocatedProblem) -> bool:
        """Tell whether an objection to the holder of the answers belongs to this page."""
        return True

    @property
    def problems_title(self) -> str:
        answers = files = ""
        if self.form.problems:
            answers = self.form.problems_title
        elif self._unplaced:
            answers = gettext("The formation service asks for a change")
        if count := len(self.refused):
            files = ngettext("{count} file could not be uploaded", "{count} files could not be uploaded", count)
        if answers and files:
            return gettext("{problems}, and {files}").format(problems=answers, files=files)
        return answers or files

    @property
    def problems_note(self) -> str:
        """Return the text below the heading of the error summary: the rest is saved, and how to go on."""
        sentences = [gettext("Everything else is saved.")]
        if self.form.overlong:
            sentences.append(gettext("Shorten it before you leave this page. Until then, we keep the earlier answer."))
        elif self.form.problems or self._unplaced:
            sentences.append(gettext("What you typed is kept as you typed it."))
        if self.refused:
            sentences.append(gettext("Choose the file again."))
        return " ".join(sentences)

    @property
    def jurisdiction(self) -> str:
        return str(self.draft.application.product.get("jurisdiction", {}).get("iso_code", ""))

    @property
    def place(self) -> GlossaryPlace | None:
        return places().get(self.jurisdiction)

    @property
    def terms(self) -> list[Term]:
        # The glossary finds the terms in the stored texts.
        texts = [self.stored_title, *(question.spec.original.label for question in self.form.asked)]
        return [explained_term(key, self.place) for key in terms_in(texts)[:_MOST_BESIDE_A_FORM]]

    def after(self, result: SaveResult) -> Self:
        """Return the page with the overlong answers and refused files of a save."""
        form = replace(self.form, overlong=result.overlong)
        return replace(self, form=form, refused=result.refused_files)

    def undo_url(self, change: Change) -> str:
        return self._url("choice_restoration", str(change.pk))

    def removal_of(self, document: Document) -> str:
        """Return the URL that asks whether to remove a document, and leads back to this page."""
        return f"{self._url('document_removal', str(document.pk))}?next=page"


@dataclass(frozen=True, kw_only=True)
class SectionPage(QuestionPage):
    section: Section

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
    def holder(self) -> str:
        return self.section.key

    @property
    def read_only_reason(self) -> str:
        """Say why nothing can be changed, for example since our reviewer has accepted the whole section."""
        names = {question.spec.name for question in self.form.asked if not question.spec.provided_by_agent}
        are_answers_accepted = bool(names) and names <= self.form.locked
        is_accepted = are_answers_accepted and all(slot.is_locked for slot in self.slots)
        return read_only_reason(self.draft.application, is_accepted=is_accepted)

    @property
    def activation(self) -> Activation:
        return self.draft.form_state.section_activation(self.section)

    @property
    def saved_at(self) -> str:
        return time_words(self.draft.saved_at(self.section.key))

    @cached_property
    def needs(self) -> tuple[Link, ...]:
        rows = need_rows(self.draft.needs_of_section(self.section.key), self.form)
        advice = validation_advice(self.draft.form_state, self.section)
        return rows + tuple(Link(remark.text, "", is_advice=True) for remark in advice if not remark.field)

    def _is_about(self, problem: LocatedProblem) -> bool:
        return problem.section == self.section.key


def section_page(draft: Draft, section: Section, *, earlier: EarlierFiles | None = None) -> SectionPage:
    row = draft.sections.get(section.key)
    state = draft.form_state
    deliveries = deliveries_for_customer(draft.application)
    status = deliveries.of_section(section)
    delivery = answers_delivery(deliveries, status, changed_at=row.updated_at if row else None)
    feedback = review_feedback(draft)
    form = QuestionForm(
        schema=draft.schema,
        asked=state.questions(section),
        raw=draft.raw(section),
        answers=draft.record.answers,
        impossible={**contradictory_answers(state, section), **state.impossible_answers()},
        advice=advised_entity_answers(state, section),
        refused=refused_answers(delivery),
        share_classes=draft.share_class_choices,
        record=draft.record,
        suggestions=Suggestions(draft),
        warnings=InactiveWarnings(draft, section.fields),
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
