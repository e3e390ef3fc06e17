"""Validates the rows of a stored sheet against the draft as it is now: the party of each row, and its problems."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from formation_portal.contract import canonical
from formation_portal.contract.fields import spreadsheet
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.fields.parsing import is_blank
from formation_portal.contract.fields.values import AnswerError
from formation_portal.contract.localisation import gettext

from ..contacts import Match, MatchIndex
from ..draft import Draft
from ..models import Party
from ..parties import PartyRow
from .columns import KIND, Key, columns, keys_by_heading, kind_choices, kinds_by_word
from .grid import normalized_heading

# What a spreadsheet shows for a formula that fails.
_ERRORS = frozenset({"#REF!", "#N/A", "#VALUE!", "#DIV/0!", "#NAME?", "#NULL!", "#NUM!"})
_TICK_MARKS = frozenset({"x", "✓", "✔"})


@dataclass(frozen=True, slots=True)
class CellRemark:
    """A remark on one cell: its heading, and a sentence."""

    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class SheetRow:
    """One row. With `problems` it cannot be added; `match` is the party that seems to be the same."""

    number: int
    token: str
    party: PartyRow | None
    problems: tuple[CellRemark, ...]
    notes: tuple[CellRemark, ...] = ()
    missing: tuple[str, ...] = ()
    match: Match | None = None
    is_taken: bool = False

    @property
    def label(self) -> str:
        """The name of its party, or ""."""
        return self.party.record.label if self.party else ""

    @property
    def adds_to_match(self) -> bool:
        """Whether it has a role or an answer that its match lacks."""
        if self.party is None or self.match is None:
            return False
        there = self.match.party
        return bool(set(self.party.roles) - set(there.roles) or set(self.party.raw) - set(there.raw))


@dataclass
class _RowReading:
    """One row while it is validated."""

    texts: Mapping[Key, str]
    formulas: frozenset[Key]
    problems: list[CellRemark] = field(default_factory=list)
    notes: list[CellRemark] = field(default_factory=list)


class SheetRows:
    """Validates the rows of one sheet against one draft."""

    def __init__(self, draft: Draft, found: tuple[str, ...]) -> None:
        self._draft = draft
        self._columns = {column.key: column for column in columns(draft.schema)}
        known = keys_by_heading(draft.schema)
        self._keys = [known.get(normalized_heading(heading)) for heading in found]
        self._kinds = kinds_by_word()
        self._roles = [column for column in self._columns.values() if column.role]
        self._asked = [one for one in draft.schema.role_sections if draft.form_state.section_activation(one).active]
        self._specs: dict[tuple[str, tuple[str, ...]], tuple[FieldSpec, ...]] = {}
        self._there = {model.token for model in (*draft.party_models, *draft.removed_party_models)}

    def validated(self, kept: Iterable[Mapping[str, Any]]) -> Iterator[SheetRow]:
        """Every row in its order. `kept` are rows as PartyImport.sheet stores them."""
        present = MatchIndex(self._draft)
        for one in kept:
            row = self._validated(one, present)
            if row.party and not row.problems and not row.is_taken:
                present.add(row.party, row.number)
            yield row

    def _validated(self, kept: Mapping[str, Any], present: MatchIndex) -> SheetRow:
        number, token = int(kept["number"]), str(kept["token"])
        is_taken = token in self._there
        texts = {key: text for key, text in zip(self._keys, kept["cells"], strict=False) if key and text.strip()}
        places = (self._keys[place] for place in kept["formulas"] if place < len(self._keys))
        reading = _RowReading(texts, frozenset(key for key in places if key))
        for key in self._columns:
            self._check_cell(reading, key)
        kind, roles = self._kind(reading), self._row_roles(reading)
        if not kind or not roles:
            return SheetRow(number, token, None, tuple(reading.problems), tuple(reading.notes), is_taken=is_taken)
        party = self._party(reading, token, kind, roles)
        return SheetRow(
            number,
            token,
            party,
            tuple(reading.problems),
            tuple(reading.notes),
            () if reading.problems else self._missing(party),
            None if is_taken else present.match(party),
            is_taken,
        )

    def _check_cell(self, reading: _RowReading, key: Key) -> None:
        text = reading.texts.get(key, "")
        if text.strip() in _ERRORS:
            self._add_problem(
                reading, key, gettext("The cell shows the error {text}. Type the answer instead", text=text)
            )
        elif key in reading.formulas and text:
            words = gettext("This cell contains a formula. We read its result: {text}", text=text)
            reading.notes.append(CellRemark(self._columns[key].heading, words))
        elif key in reading.formulas:
            self._add_problem(reading, key, gettext("Type the answer. We can’t work out formulas"))

    def _add_problem(self, reading: _RowReading, key: Key, text: str) -> None:
        reading.problems.append(CellRemark(self._columns[key].heading, text))

    def _kind(self, reading: _RowReading) -> str:
        """The kind of party; where the roles allow only one, the cell may be empty."""
        offered = kind_choices(self._asked)
        text = reading.texts.get(KIND, "")
        if not text and len(offered) == 1:
            return offered[0].value
        kind = self._kinds.get(spreadsheet.fold(text), "")
        if not kind or kind not in {one.value for one in offered}:
            words = ", ".join(one.label for one in offered)
            self._add_problem(reading, KIND, gettext("Choose one of these: {words}", words=words))
            return ""
        return kind

    def _row_roles(self, reading: _RowReading) -> tuple[str, ...]:
        """The roles with a yes; where there is only one role, the cell may be empty."""
        is_filled = any(column.key in reading.texts for column in self._roles)
        if len(self._asked) == 1 and not is_filled:
            return (self._asked[0].role or "",)
        chosen: list[str] = []
        for column in self._roles:
            text = reading.texts.get(column.key, "")
            answer = (
                "true"
                if text.strip().lower() in _TICK_MARKS
                else spreadsheet.choice_value(text, spreadsheet.yes_and_no())
            )
            if answer == "true":
                chosen.append(column.role)
            elif answer not in ("false", ""):
                self._add_problem(reading, column.key, gettext("Type Yes, or leave it empty"))
        if not chosen and not is_filled:
            reading.problems.append(CellRemark(gettext("Roles"), gettext("Type Yes under at least one role")))
        return tuple(chosen)

    def _party(self, reading: _RowReading, token: str, kind: str, roles: tuple[str, ...]) -> PartyRow:
        self._check_roles(reading, kind, roles)
        specs = self._fields(kind, roles)
        raw = {spec.name: answer for spec in specs if not is_blank(answer := self._answer(reading, spec))}
        party = self._draft.as_party(Party(token=token, kind=kind, roles=list(roles), raw=raw))
        for name, problem in party.record.answers.problems.items():
            self._add_problem(reading, self._key_of(name), problem.message)
        if not party.record.label:
            named = next((spec.name for spec in specs if canonical.is_name(spec.canonical_field)), None)
            if named is not None:
                self._add_problem(reading, self._key_of(named), gettext("Enter a name"))
        asked = {spec.name for spec in specs}
        for key in reading.texts:
            if key[1] and key[1] not in asked:
                text = gettext("Not asked for these roles, so we left it out")
                reading.notes.append(CellRemark(self._columns[key].heading, text))
        return party

    def _fields(self, kind: str, roles: tuple[str, ...]) -> tuple[FieldSpec, ...]:
        if (kind, roles) not in self._specs:
            fields = self._draft.schema.fields_of(kind, roles)
            asked = (spec for spec in fields if any(key[1] == spec.name for key in self._columns))
            self._specs[kind, roles] = tuple(spec for spec in asked if not spec.provided_by_agent)
        return self._specs[kind, roles]

    def _check_roles(self, reading: _RowReading, kind: str, roles: tuple[str, ...]) -> None:
        for role in roles:
            sections = [section for section in self._asked if section.role == role]
            if not sections:
                self._add_problem(
                    reading, (role, "", ""), gettext("Leave this empty. This role is not needed at the moment")
                )
            elif not any(section.allows(kind) for section in sections):
                word = gettext(canonical.KIND_WORDS[kind])
                self._add_problem(
                    reading, (role, "", ""), gettext("Leave this empty. A {kind} can’t have this role", kind=word)
                )

    def _answer(self, reading: _RowReading, spec: FieldSpec) -> Any:
        texts = {part: reading.texts.get(("", spec.name, part), "") for part in spec.cell_parts}
        if not any(texts.values()) or any(text.strip() in _ERRORS for text in texts.values()):
            return None
        if spec.refers_to_share_class:
            words = {spreadsheet.fold(row.label): row.token for row in self._draft.share_classes}
            token = words.get(spreadsheet.fold(texts[""]))
            if token is None:
                problem = gettext("Enter a share class from this application")
                self._add_problem(reading, self._key_of(spec.name), problem)
            return token
        try:
            return spec.from_cells(texts)
        except AnswerError as error:
            self._add_problem(reading, self._key_of(spec.name), error.message)
            return None

    def _key_of(self, name: str) -> Key:
        return next(key for key in self._columns if key[1] == name)

    def _missing(self, party: PartyRow) -> tuple[str, ...]:
        """The labels of what will still be needed once the row is added."""
        answers = party.record.answers
        return tuple(
            question.spec.label
            for question in self._draft.form_state.party_questions(party.record)
            if question.required and question.spec.name not in {*answers.values, *answers.problems}
        )
