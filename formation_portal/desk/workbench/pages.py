"""Show a schema at the workbench: its faults, the form with the typed answers, the needs, and the calls."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import quote

from formation_portal.applications.draft import Draft
from formation_portal.applications.parties import PartyRow
from formation_portal.contract import canonical
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.needs import Need
from formation_portal.contract.record import Holder
from formation_portal.contract.rules import Activation, Minimum, Question, Slot
from formation_portal.contract.schema import Section
from formation_portal.ui.forms.controls import Option, Suggestions, control_id, slot_key
from formation_portal.ui.forms.form import QuestionForm

from .calls import PlannedCall, not_yet_sendable, planned_calls
from .forms import (
    MAX_CLASSES,
    MAX_PARTIES_SHOWN,
    PARTY,
    SHARE_CLASS,
    Controls,
    HolderControls,
    SectionControls,
    asked_once,
    shares_control,
)
from .rule_tree import RuleTree
from .source import Source
from .versions import Difference, OpenDrafts

# More questions are not drawn on one page.
MAX_QUESTIONS_DRAWN = 600


@dataclass(frozen=True, kw_only=True)
class WorkbenchForm(QuestionForm):
    """A form that shares a page with others, and has its own names of controls."""

    controls_of_part: Controls

    def control(self, spec: FieldSpec) -> str:
        return self.controls_of_part.name_of(spec)


@dataclass(frozen=True, slots=True)
class SlotBox:
    """A document that is asked for, with a box to count it as uploaded."""

    key: str
    slot: Slot
    is_uploaded: bool

    @property
    def id(self) -> str:
        return f"slot-{control_id(quote(self.key))}"


@dataclass(frozen=True, slots=True)
class ShareCell:
    """The control for a number of shares, with its label and the typed number."""

    control: str
    label: str
    typed: str


@dataclass(frozen=True, slots=True)
class NeedRow:
    """A need, and the place on the page where it is met."""

    text: str
    url: str


@dataclass(frozen=True)
class FormPart:
    """A part of the form: a section about the entity (without a token), a party or a share class."""

    id: str
    title: str
    form: QuestionForm
    slots: tuple[SlotBox, ...] = ()
    # The activation of a section.
    activation: Activation | None = None
    help: str = ""
    token: str = ""
    kind: str = ""
    roles: tuple[Option, ...] = ()
    # The roles of a party whose questions the page shows, as it posts them.
    was_drawn: str | None = None

    @property
    def drawn(self) -> str:
        """Return the roles whose questions are drawn now."""
        return " ".join(option.value for option in self.roles if option.chosen)

    @property
    def is_redrawn(self) -> bool:
        return self.was_drawn is not None and self.was_drawn != self.drawn


@dataclass(frozen=True, slots=True)
class RoleRow:
    """A role with its present minimum and count, and the kinds of parties that may be added to it."""

    section: Section
    activation: Activation
    minimum: Minimum
    count: int

    @property
    def kinds(self) -> tuple[tuple[str, str], ...]:
        return tuple((kind, canonical.kind_title(kind)) for kind in canonical.PARTY_KINDS if self.section.allows(kind))


@dataclass(frozen=True)
class Trial:
    """An application in a schema under trial. `drawn` are the roles whose questions the page shows, by token."""

    draft: Draft
    drawn: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_drawn(self) -> bool:
        """Report that it has few enough questions for a page."""
        holders: tuple[Holder, ...] = (None, *self.draft.record.parties, *self.draft.record.share_classes)
        questions = sum(len(self.draft.form_state.holder_questions(holder)) for holder in holders)
        return questions <= MAX_QUESTIONS_DRAWN

    @cached_property
    def sections(self) -> tuple[FormPart, ...]:
        """Return the sections about the entity."""
        state = self.draft.form_state
        slots = state.slots()
        parts = []
        for place, section, specs in asked_once(self.draft.schema):
            questions = tuple(question for question in state.questions(section) if question.spec in specs)
            parts.append(
                FormPart(
                    id=f"section-{section.key}",
                    title=section.title,
                    form=self._form(None, questions, SectionControls(place), raw=self.draft.entity_raw),
                    slots=self._boxes(None, [slot for slot in slots if slot.section.key == section.key]),
                    activation=state.section_activation(section),
                    help=section.help,
                )
            )
        return tuple(parts)

    @cached_property
    def roles(self) -> tuple[RoleRow, ...]:
        state = self.draft.form_state
        rows = []
        for section in self.draft.schema.role_sections:
            count = len(state.parties_in(section))
            rows.append(RoleRow(section, state.section_activation(section), state.minimum_of(section), count))
        return tuple(rows)

    @cached_property
    def parties(self) -> tuple[FormPart, ...]:
        state = self.draft.form_state
        parts = []
        for row in self.draft.parties:
            questions = state.party_questions(row.record)
            parts.append(
                FormPart(
                    id=f"holder-{row.token}",
                    title=row.label,
                    form=self._form(row.record, questions, HolderControls(row.token), raw=row.raw),
                    slots=self._boxes(row.token, state.slots(row.record)),
                    token=row.token,
                    kind=canonical.kind_title(row.kind),
                    roles=self._role_options(row),
                    was_drawn=self.drawn.get(row.token),
                )
            )
        return tuple(parts)

    def _role_options(self, row: PartyRow) -> tuple[Option, ...]:
        options = []
        for role, section in {section.role or "": section for section in self.draft.schema.role_sections}.items():
            if section.allows(row.kind):
                options.append(Option(role, section.title or canonical.role_word(role), role in row.roles))
        return tuple(options)

    @cached_property
    def share_classes(self) -> tuple[FormPart, ...]:
        parts = []
        for row in self.draft.share_classes:
            questions = self.draft.form_state.holder_questions(row.record)
            parts.append(
                FormPart(
                    id=f"holder-{row.token}",
                    title=row.label,
                    form=self._form(row.record, questions, HolderControls(row.token), raw=row.raw),
                    token=row.token,
                    kind="Share class",
                )
            )
        return tuple(parts)

    @property
    def share_activation(self) -> Activation | None:
        section = self.draft.schema.share_section
        return self.draft.form_state.section_activation(section) if section else None

    @property
    def holdings(self) -> list[ShareCell]:
        """Return the number of shares of each class for each shareholder."""
        typed = self.draft.typed_holdings()
        cells = []
        for party in self.draft.parties:
            if self.draft.is_shareholder(party):
                for share_class in self.draft.share_classes:
                    control = shares_control(party.token, share_class.token)
                    label = f"{share_class.label} shares of {party.label}"
                    cells.append(ShareCell(control, label, typed.get((party.token, share_class.token), "")))
        return cells

    @property
    def tokens(self) -> list[tuple[str, str]]:
        """Return the parties and share classes on the page, as the form posts them."""
        parties = [(PARTY, row.token) for row in self.draft.parties]
        return parties + [(SHARE_CLASS, row.token) for row in self.draft.share_classes]

    @property
    def can_add_party(self) -> bool:
        return len(self.draft.parties) < MAX_PARTIES_SHOWN

    @property
    def can_add_class(self) -> bool:
        return len(self.draft.share_classes) < MAX_CLASSES

    @property
    def holders(self) -> tuple[FormPart, ...]:
        return (*self.parties, *self.share_classes)

    @cached_property
    def parts(self) -> tuple[FormPart, ...]:
        return (*self.sections, *self.holders)

    @cached_property
    def needs(self) -> tuple[NeedRow, ...]:
        """Return the needs, each with its place on this page."""
        return tuple(NeedRow(need.text, self._url_of(need)) for need in self.draft.needs)

    def _url_of(self, need: Need) -> str:
        if need.slot:
            key = slot_key(need.party_id, need.slot)
            return next((f"#{box.id}" for part in self.parts for box in part.slots if box.key == key), "#people")
        token = need.party_id or need.share_class_id
        # A question of two sections is drawn in the first.
        parts = [part for part in self.holders if part.token == token] if token else self.sections
        if need.field:
            for part in parts:
                if control := part.form.control_id_of(need.field):
                    return f"#{control}"
        if token and parts:
            return f"#{parts[0].id}"
        section = self.draft.schema.share_section
        return "#shares" if section and need.section == section.key else "#people"

    @cached_property
    def calls(self) -> tuple[PlannedCall, ...]:
        return planned_calls(self.draft)

    @cached_property
    def waiting(self) -> tuple[str, ...]:
        """Return the names of what would not be sent yet."""
        return not_yet_sendable(self.draft)

    def _form(
        self, holder: Holder, questions: tuple[Question, ...], controls: Controls, *, raw: Mapping[str, Any]
    ) -> QuestionForm:
        return WorkbenchForm(
            schema=self.draft.schema,
            asked=questions,
            raw=raw,
            answers=holder.answers if holder else self.draft.record.answers,
            impossible=self.draft.form_state.impossible_answers(holder),
            advice=self.draft.form_state.advised_answers(holder),
            controls_of_part=controls,
            suggestions=Suggestions(self.draft),
            share_classes=self.draft.share_class_choices,
            shares_url="#shares",
            holder=holder,
            record=self.draft.record,
            is_kept=False,
        )

    def _boxes(self, token: str | None, slots: Iterable[Slot]) -> tuple[SlotBox, ...]:
        uploaded = self.draft.documents_of(self.draft.party(token) if token else None)
        return tuple(SlotBox(slot_key(token, slot.name), slot, slot.name in uploaded) for slot in slots)


@dataclass(frozen=True)
class Comparison:
    """The schema beside another version. `problem` says why that version can't be read."""

    choices: tuple[Option, ...]
    text: str = ""
    name: str = ""
    difference: Difference | None = None
    drafts: OpenDrafts | None = None
    problem: str = ""


@dataclass(frozen=True)
class WorkbenchPage:
    """The page of the workbench. `problem` says why the text can't be checked at all."""

    text: str
    products: tuple[Option, ...]
    catalog_note: str = ""
    source: Source | None = None
    problem: str = ""
    trial: Trial | None = None
    comparison: Comparison | None = None

    @cached_property
    def rules(self) -> RuleTree | None:
        """Return the rules as trees, also of a schema with faults."""
        return RuleTree(self.source.item.form) if self.source and self.source.item else None
