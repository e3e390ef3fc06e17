"""What the workbench shows of a schema: its faults, the form with what was typed, what is needed, and the calls."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import quote

from formation_portal.applications.draft import Draft
from formation_portal.contract import canonical
from formation_portal.contract.fields.base import FieldSpec, control_name
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
    Control,
    asked_once,
    holder_control,
    section_control,
    shares_control,
)
from .rule_tree import RuleTree
from .source import Source
from .versions import Difference, OpenDrafts

# More questions than this are not drawn on one page.
MOST_DRAWN = 600


@dataclass(frozen=True)
class WorkbenchForm(QuestionForm):
    """One of the forms that stand on a page together, each with names of its own for its controls."""

    name_control: Control = control_name

    def control(self, spec: FieldSpec) -> str:
        return self.name_control(spec)


@dataclass(frozen=True, slots=True)
class SlotBox:
    """One document that is asked for, with a box to take it for uploaded."""

    key: str
    slot: Slot
    is_uploaded: bool

    @property
    def id(self) -> str:
        """The id of the box."""
        return f"slot-{control_id(quote(self.key))}"


@dataclass(frozen=True, slots=True)
class ShareCell:
    """One number of shares: its control, the words for it, and what was typed."""

    control: str
    label: str
    typed: str


@dataclass(frozen=True, slots=True)
class NeedRow:
    """One thing that is missing, and where on the page it can be given."""

    text: str
    url: str


@dataclass(frozen=True)
class FormPart:
    """One part of the form: a section about the entity, a party or a class of shares. A section has no token."""

    id: str
    title: str
    form: QuestionForm
    slots: tuple[SlotBox, ...] = ()
    # Of a section, whether it is asked, and why.
    activation: Activation | None = None
    help: str = ""
    token: str = ""
    kind: str = ""
    roles: tuple[Option, ...] = ()
    # The roles of a party whose questions the page shows, as it posts them.
    was_drawn: str | None = None

    @property
    def drawn(self) -> str:
        """The roles that its questions are for."""
        return " ".join(option.value for option in self.roles if option.chosen)

    @property
    def is_redrawn(self) -> bool:
        """Whether the page shows questions for other roles."""
        return self.was_drawn is not None and self.was_drawn != self.drawn


@dataclass(frozen=True, slots=True)
class RoleRow:
    """A role with how many it takes as things stand, and which kinds may be added to it."""

    section: Section
    activation: Activation
    minimum: Minimum
    count: int

    @property
    def kinds(self) -> tuple[tuple[str, str], ...]:
        """Each kind that may have the role, and what it is called."""
        return tuple((kind, canonical.kind_title(kind)) for kind in canonical.PARTY_KINDS if self.section.allows(kind))


@dataclass(frozen=True)
class Trial:
    """An application in the schema that is tried out, ready to draw."""

    draft: Draft
    # By token, the roles whose questions the page shows.
    drawn: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_drawn(self) -> bool:
        """Whether it has few enough questions for a page."""
        return self._questions <= MOST_DRAWN

    @property
    def _questions(self) -> int:
        holders: tuple[Holder, ...] = (None, *self.draft.record.parties, *self.draft.record.share_classes)
        return sum(len(self.draft.form_state.holder_questions(holder)) for holder in holders)

    @cached_property
    def sections(self) -> tuple[FormPart, ...]:
        """The sections about the entity."""
        state = self.draft.form_state
        slots = state.slots()
        return tuple(
            FormPart(
                id=f"section-{section.key}",
                title=section.title,
                form=self._form(
                    None, tuple(one for one in state.questions(section) if one.spec in specs), section_control(place)
                ),
                slots=self._boxes(None, (one for one in slots if one.section.key == section.key)),
                activation=state.section_activation(section),
                help=section.help,
            )
            for place, section, specs in asked_once(self.draft.schema)
        )

    @cached_property
    def roles(self) -> tuple[RoleRow, ...]:
        """The role sections."""
        state = self.draft.form_state
        return tuple(
            RoleRow(
                section, state.section_activation(section), state.minimum_of(section), len(state.parties_in(section))
            )
            for section in self.draft.schema.role_sections
        )

    @cached_property
    def parties(self) -> tuple[FormPart, ...]:
        """Whoever was added."""
        state = self.draft.form_state
        return tuple(
            FormPart(
                id=f"holder-{row.token}",
                title=row.label,
                form=self._form(row.record, state.party_questions(row.record), holder_control(row.token), raw=row.raw),
                slots=self._boxes(row.token, state.slots(row.record)),
                token=row.token,
                kind=canonical.kind_title(row.kind),
                roles=tuple(
                    Option(
                        section.role or "",
                        section.title or canonical.role_word(section.role or ""),
                        section.role in row.roles,
                    )
                    for section in {one.role: one for one in self.draft.schema.role_sections}.values()
                    if section.allows(row.kind)
                ),
                was_drawn=self.drawn.get(row.token),
            )
            for row in self.draft.parties
        )

    @cached_property
    def share_classes(self) -> tuple[FormPart, ...]:
        """Classes of shares that were added."""
        state = self.draft.form_state
        return tuple(
            FormPart(
                id=f"holder-{row.token}",
                title=row.label,
                form=self._form(row.record, state.holder_questions(row.record), holder_control(row.token), raw=row.raw),
                token=row.token,
                kind="Share class",
            )
            for row in self.draft.share_classes
        )

    @property
    def share_section(self) -> Section | None:
        """The section about shares."""
        return self.draft.schema.share_section

    @property
    def share_activation(self) -> Activation | None:
        """Whether shares are asked for, and why."""
        return self.draft.form_state.section_activation(self.share_section) if self.share_section else None

    @property
    def holdings(self) -> list[ShareCell]:
        """For each shareholder and each class a number of shares."""
        typed = self.draft.typed_holdings()
        return [
            ShareCell(
                shares_control(row.token, held.token),
                f"{held.label} shares of {row.label}",
                typed.get((row.token, held.token), ""),
            )
            for row in self.draft.parties
            if self.draft.is_shareholder(row)
            for held in self.draft.share_classes
        ]

    @property
    def tokens(self) -> list[tuple[str, str]]:
        """Who is on the page, as the form posts it."""
        parties = [("party", row.token) for row in self.draft.parties]
        return parties + [("class", row.token) for row in self.draft.share_classes]

    @property
    def can_add_party(self) -> bool:
        return len(self.draft.parties) < MAX_PARTIES_SHOWN

    @property
    def can_add_class(self) -> bool:
        return len(self.draft.share_classes) < MAX_CLASSES

    @property
    def holders(self) -> tuple[FormPart, ...]:
        """Whoever and whatever was added."""
        return (*self.parties, *self.share_classes)

    @cached_property
    def parts(self) -> tuple[FormPart, ...]:
        """Everything with questions."""
        return (*self.sections, *self.holders)

    @cached_property
    def needs(self) -> tuple[NeedRow, ...]:
        """Everything that is still needed, each with the way to it on this page."""
        return tuple(NeedRow(need.text, self._url_of(need)) for need in self.draft.needs)

    def _url_of(self, need: Need) -> str:
        if need.slot:
            key = slot_key(need.party_id, need.slot)
            return next((f"#{box.id}" for one in self.parts for box in one.slots if box.key == key), "#people")
        if holder := need.party_id or need.share_class_id:
            asking = [one for one in self.holders if one.token == holder]
        else:
            # What two sections ask stands in the first.
            asking = list(self.sections)
        for part in asking if need.field else ():
            if control := part.form.control_id_of(need.field or ""):
                return f"#{control}"
        if asking and holder:
            return f"#{asking[0].id}"
        return "#shares" if self.share_section and need.section == self.share_section.key else "#people"

    @cached_property
    def calls(self) -> tuple[PlannedCall, ...]:
        """What would be sent."""
        return planned_calls(self.draft)

    @cached_property
    def waiting(self) -> tuple[str, ...]:
        """Of whom nothing would be sent yet."""
        return not_yet_sendable(self.draft)

    def _form(
        self,
        holder: Holder,
        asked: tuple[Question, ...],
        control: Control,
        *,
        raw: Mapping[str, Any] | None = None,
    ) -> QuestionForm:
        return WorkbenchForm(
            schema=self.draft.schema,
            asked=asked,
            raw=self.draft.entity_raw if raw is None else raw,
            answers=holder.answers if holder else self.draft.record.answers,
            impossible=self.draft.form_state.impossible_answers(holder),
            advice=self.draft.form_state.advised_answers(holder),
            name_control=control,
            suggestions=Suggestions(self.draft),
            share_classes=self.draft.share_class_choices,
            shares_url="#shares",
            holder=holder,
            record=self.draft.record,
            is_kept=False,
        )

    def _boxes(self, token: str | None, slots: Iterable[Slot]) -> tuple[SlotBox, ...]:
        party = self.draft.party(token) if token else None
        there = self.draft.documents_of(party)
        return tuple(SlotBox(slot_key(token, slot.name), slot, slot.name in there) for slot in slots)


@dataclass(frozen=True)
class Comparison:
    """The schema beside another version. `problem` says why that one can't be read."""

    choices: tuple[Option, ...]
    text: str = ""
    name: str = ""
    difference: Difference | None = None
    drafts: OpenDrafts | None = None
    problem: str = ""


@dataclass(frozen=True)
class WorkbenchPage:
    """The page. `problem` says why what was brought can't be checked at all."""

    text: str
    products: tuple[Option, ...]
    catalog_note: str = ""
    source: Source | None = None
    problem: str = ""
    trial: Trial | None = None
    comparison: Comparison | None = None

    @cached_property
    def rules(self) -> RuleTree | None:
        """The rules as a picture, also of a schema with faults."""
        return RuleTree(self.source.item.form) if self.source and self.source.item else None
