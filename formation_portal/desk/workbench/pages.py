"""Show a schema at the workbench as a form with the typed answers, and list missing answers with links to them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import quote

from formation_portal.applications.draft import Draft
from formation_portal.contract import canonical
from formation_portal.contract.advice import advised_entity_answers
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.fields.values import Problem
from formation_portal.contract.needs import Need
from formation_portal.contract.record import Holder
from formation_portal.contract.rules import Activation, Question, Slot
from formation_portal.contract.validations import ERROR
from formation_portal.ui.forms.controls import Option, Suggestions, control_id, slot_key
from formation_portal.ui.forms.form import QuestionForm

from .forms import MAX_CLASSES, MAX_PARTIES_SHOWN, asked_once, control_name, shares_control

# The most questions drawn on a page.
MAX_QUESTIONS_DRAWN = 600


@dataclass(frozen=True, kw_only=True)
class WorkbenchForm(QuestionForm):
    """A form that shares its page with other forms, so that its controls have names of their own."""

    part: int | str

    def control(self, spec: FieldSpec) -> str:
        return control_name(self.part, spec)


@dataclass(frozen=True, slots=True)
class NeedRow:
    text: str
    url: str


@dataclass(frozen=True, slots=True)
class FormPart:
    """A part of the form: a section about the entity (without a token), a party or a share class. `drawn` are the
    roles of a party whose questions are drawn; `is_redrawn`: the open page still shows those of other roles."""

    id: str
    title: str
    form: QuestionForm
    slots: list[dict[str, Any]] = field(default_factory=list)
    activation: Activation | None = None
    help: str = ""
    token: str = ""
    kind: str = ""
    roles: tuple[Option, ...] = ()
    drawn: str = ""
    is_redrawn: bool = False


@dataclass(frozen=True, slots=True)
class ValidationRow:
    """A rule across answers with its outcome for the answers at hand. The mark is that of ui/mark.html."""

    rule: str
    message: str
    mark: str
    outcome: str


@dataclass(frozen=True)
class Trial:
    """An application to try a schema. `drawn` maps party tokens to the roles whose questions the open page shows."""

    draft: Draft
    drawn: Mapping[str, str] = field(default_factory=dict)
    max_parties = MAX_PARTIES_SHOWN
    max_classes = MAX_CLASSES

    @cached_property
    def is_drawn(self) -> bool:
        holders: tuple[Holder, ...] = (None, *self.draft.record.parties, *self.draft.record.share_classes)
        questions = sum(len(self.draft.form_state.holder_questions(holder)) for holder in holders)
        return questions <= MAX_QUESTIONS_DRAWN

    @cached_property
    def sections(self) -> list[FormPart]:
        state = self.draft.form_state
        slots = state.slots()
        parts = []
        for place, section, specs in asked_once(self.draft.schema):
            questions = tuple(question for question in state.questions(section) if question.spec in specs)
            parts.append(
                FormPart(
                    id=f"section-{section.key}",
                    title=section.title,
                    form=self._form(None, questions, place, raw=self.draft.entity_raw),
                    slots=self._boxes(None, [slot for slot in slots if slot.section.key == section.key]),
                    activation=state.section_activation(section),
                    help=section.help,
                )
            )
        return parts

    @cached_property
    def roles(self) -> list[dict[str, Any]]:
        """Return each role with its present minimum and count, and the kinds of parties that may be added."""
        state = self.draft.form_state
        rows = []
        for section in self.draft.schema.role_sections:
            row = {
                "section": section,
                "activation": state.section_activation(section),
                "minimum": state.minimum_of(section),
                "count": len(state.parties_in(section)),
                "kinds": [(kind, canonical.kind_title(kind)) for kind in canonical.PARTY_KINDS if section.allows(kind)],
            }
            rows.append(row)
        return rows

    @cached_property
    def parties(self) -> list[FormPart]:
        state = self.draft.form_state
        parts = []
        for row in self.draft.parties:
            roles = []
            for section in self.draft.schema.role_sections:
                if section.allows(row.kind):
                    role = section.role or ""
                    roles.append(Option(role, section.title or canonical.role_word(role), role in row.roles))
            drawn = " ".join(option.value for option in roles if option.chosen)
            parts.append(
                FormPart(
                    id=f"holder-{row.token}",
                    title=row.label,
                    form=self._form(row.record, state.party_questions(row.record), row.token, raw=row.raw),
                    slots=self._boxes(row.token, state.slots(row.record)),
                    token=row.token,
                    kind=canonical.kind_title(row.kind),
                    roles=tuple(roles),
                    drawn=drawn,
                    is_redrawn=self.drawn.get(row.token, drawn) != drawn,
                )
            )
        return parts

    @cached_property
    def share_classes(self) -> list[FormPart]:
        parts = []
        for row in self.draft.share_classes:
            questions = self.draft.form_state.holder_questions(row.record)
            form = self._form(row.record, questions, row.token, raw=row.raw)
            parts.append(FormPart(f"holder-{row.token}", row.label, form, token=row.token))
        return parts

    @property
    def share_activation(self) -> Activation | None:
        section = self.draft.schema.share_section
        return self.draft.form_state.section_activation(section) if section else None

    @property
    def holdings(self) -> list[tuple[str, str, str]]:
        """Return control name, label and typed number for each shareholder's shares of each class."""
        typed = self.draft.typed_holdings()
        cells = []
        for party in self.draft.parties:
            if self.draft.is_shareholder(party):
                for share_class in self.draft.share_classes:
                    control = shares_control(party.token, share_class.token)
                    label = f"{share_class.label} shares of {party.label}"
                    cells.append((control, label, typed.get((party.token, share_class.token), "")))
        return cells

    @property
    def parts(self) -> list[FormPart]:
        return [*self.sections, *self.parties, *self.share_classes]

    @cached_property
    def needs(self) -> list[NeedRow]:
        return [NeedRow(need.text, self._url_of(need)) for need in self.draft.needs]

    @cached_property
    def validations(self) -> list[ValidationRow]:
        rows = []
        for verdict in self.draft.form_state.validations.verdicts():
            stated = verdict.validation.stated
            mark, outcome = "met", "Holds"
            if verdict.fault:
                mark, outcome = "error", f"Left out: {verdict.fault}"
            elif verdict.holds is None:
                mark, outcome = "open", f"Not judged: “{verdict.missing}” is not answered"
            elif not verdict.holds:
                mark, outcome = "error", "Does not hold"
                if not verdict.is_error:
                    mark, outcome = "warning", "Does not hold (advice)"
            rows.append(ValidationRow(stated.rule, stated.message, mark, outcome))
        return rows

    def _url_of(self, need: Need) -> str:
        if need.slot:
            return f"#{_slot_id(slot_key(need.party_id, need.slot))}"
        token = need.party_id or need.share_class_id or ""
        # A question that two sections share is drawn in the first.
        parts = [part for part in self.parts if part.token == token]
        if need.field:
            for part in parts:
                if control := part.form.control_id_of(need.field):
                    return f"#{control}"
        if token and parts:
            return f"#{parts[0].id}"
        section = self.draft.schema.share_section
        return "#shares" if section and need.section == section.key else "#people"

    def _form(
        self, holder: Holder, questions: tuple[Question, ...], part: int | str, *, raw: Mapping[str, Any]
    ) -> QuestionForm:
        state = self.draft.form_state
        impossible = state.impossible_answers(holder)
        advice = state.advised_answers(holder)
        if holder is None:
            broken = state.validations.messages_at_fields(ERROR)
            impossible = {name: Problem(name, "contradictory", text) for name, text in broken.items()} | impossible
            advice = advised_entity_answers(state)
        return WorkbenchForm(
            schema=self.draft.schema,
            asked=questions,
            raw=raw,
            answers=holder.answers if holder else self.draft.record.answers,
            impossible=impossible,
            advice=advice,
            part=part,
            suggestions=Suggestions(self.draft),
            share_classes=self.draft.share_class_choices,
            shares_url="#shares",
            holder=holder,
            record=self.draft.record,
            is_kept=False,
        )

    def _boxes(self, token: str | None, slots: Iterable[Slot]) -> list[dict[str, Any]]:
        """Return the required documents, each with the key and id of the checkbox that marks it as uploaded."""
        uploaded = self.draft.documents_of(self.draft.party(token or ""))
        boxes = []
        for slot in slots:
            key = slot_key(token, slot.name)
            boxes.append({"id": _slot_id(key), "key": key, "slot": slot, "is_uploaded": slot.name in uploaded})
        return boxes


def _slot_id(key: str) -> str:
    return f"slot-{control_id(quote(key))}"
