"""Validate a stored sheet's rows against the present draft: each row gets a party, problems and notes."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext

from formation_portal.contract import canonical
from formation_portal.contract.fields import spreadsheet
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.fields.values import AnswerError

from ..contacts import Match, PartyFinder
from ..draft import Draft
from ..fields import without_blanks
from ..models import Party
from ..parties import PartyRow
from .columns import KIND, Column, Key, columns, keys_by_heading, kind_choices, kinds_by_word
from .grid import normalized_heading

# Spreadsheets show these for a formula that fails.
_ERRORS = frozenset({"#REF!", "#N/A", "#VALUE!", "#DIV/0!", "#NAME?", "#NULL!", "#NUM!"})
# Spreadsheets shorten a long number to 1.23457E+11, and replace the digits behind the 15th by zeros.
_SHORTENED = re.compile(r"-?\d+([.,]\d+)?E[+-]\d+", re.ASCII | re.IGNORECASE)
_ZEROS_AT_END = re.compile(r"[1-9]\d{14}0+", re.ASCII)
_TICK_MARKS = frozenset({"x", "✓", "✔"})


@dataclass
class SheetRow:
    """A row with its cells by column. A row with `problems` can't be added; `match` is an apparent duplicate.

    Problems and notes are pairs of a column's heading and a sentence; `missing` are labels of answers still to give.
    """

    number: int
    token: str
    texts: Mapping[Key, str]
    formulas: Collection[Key]
    is_taken: bool
    party: PartyRow | None = None
    problems: list[tuple[str, str]] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    missing: tuple[str, ...] = ()
    match: Match | None = None

    @property
    def adds_to_match(self) -> bool:
        if self.party is None or self.match is None:
            return False
        match = self.match.party
        return bool(set(self.party.roles) - set(match.roles) or set(self.party.raw) - set(match.raw))


class SheetRows:
    def __init__(self, draft: Draft, headings: tuple[str, ...]) -> None:
        keys = keys_by_heading(draft.schema)
        self._draft = draft
        self._columns = {column.key: column for column in columns(draft.schema)}
        self._keys = [keys.get(normalized_heading(heading)) for heading in headings]
        self._kinds = kinds_by_word()
        self._sections = draft.active_role_sections
        # The first column of each question.
        self._key_of: dict[str, Key] = {}
        for key in self._columns:
            self._key_of.setdefault(key[1], key)
        self._tokens = {model.token for model in (*draft.party_models, *draft.removed_party_models)}

    def validated(self, rows: Iterable[Mapping[str, Any]]) -> Iterator[SheetRow]:
        """Validate the rows in order. `rows` are stored rows of PartyImport.sheet."""
        parties = PartyFinder(self._draft)
        for stored in rows:
            row = self._validated(stored, parties)
            if row.party and not row.problems and not row.is_taken:
                parties.add(row.party, row.number)
            yield row

    def _validated(self, stored: Mapping[str, Any], parties: PartyFinder) -> SheetRow:
        # A row ends with its last filled cell; a formula may stand behind that.
        texts = {key: text for key, text in zip(self._keys, stored["cells"], strict=False) if key and text.strip()}
        formulas = {key for place, key in enumerate(self._keys) if key and place in stored["formulas"]}
        token = str(stored["token"])
        row = SheetRow(int(stored["number"]), token, texts, formulas, is_taken=token in self._tokens)
        for column in self._columns.values():
            self._check_cell(row, column)
        kind = self._kind(row)
        roles = self._row_roles(row)
        if kind and roles:
            row.party = self._party(row, kind, roles)
            if not row.problems:
                row.missing = self._missing(row.party)
            if not row.is_taken:
                row.match = parties.find(row.party)
        return row

    def _missing(self, party: PartyRow) -> tuple[str, ...]:
        answers = party.record.answers
        answered = {*answers.values, *answers.problems}
        questions = self._draft.form_state.party_questions(party.record)
        required = (question.spec for question in questions if question.required)
        return tuple(spec.label for spec in required if spec.name not in answered)

    def _check_cell(self, row: SheetRow, column: Column) -> None:
        text = row.texts.get(column.key, "")
        if text.strip() in _ERRORS:
            problem = gettext("The cell shows the error {text}. Type the answer instead")
            row.problems.append((column.heading, problem.format(text=text)))
        elif column.name and _SHORTENED.fullmatch(text.strip()):
            problem = gettext("The spreadsheet has changed this number. Format the column as text, then type it again")
            row.problems.append((column.heading, problem))
        elif column.name and _ZEROS_AT_END.fullmatch(text.strip()):
            note = gettext("Check the last digits. A spreadsheet keeps only 15 digits of a number")
            row.notes.append((column.heading, note))
        elif column.key in row.formulas and text:
            note = gettext("This cell contains a formula. We read its result: {text}").format(text=text)
            row.notes.append((column.heading, note))
        elif column.key in row.formulas:
            row.problems.append((column.heading, gettext("Type the answer. We can’t work out formulas")))

    def _add_problem(self, row: SheetRow, key: Key, text: str) -> None:
        row.problems.append((self._columns[key].heading, text))

    def _kind(self, row: SheetRow) -> str:
        """Return the kind of party; "" after adding a problem. With only one possible kind, the cell may be empty."""
        choices = dict(kind_choices(self._sections))
        text = row.texts.get(KIND, "")
        if not text and len(choices) == 1:
            return next(iter(choices))
        kind = self._kinds.get(spreadsheet.fold(text), "")
        if kind not in choices:
            labels = ", ".join(choices.values())
            self._add_problem(row, KIND, gettext("Choose one of these: {words}").format(words=labels))
            return ""
        return kind

    def _row_roles(self, row: SheetRow) -> tuple[str, ...]:
        """Return the roles marked Yes. If the form has only one, its cell may be empty."""
        is_filled = False
        chosen: list[str] = []
        for column in self._columns.values():
            if not column.role or column.key not in row.texts:
                continue
            is_filled = True
            text = row.texts[column.key]
            answer = spreadsheet.choice_value(text, spreadsheet.YES_AND_NO)
            if answer == "true" or text.strip().lower() in _TICK_MARKS:
                chosen.append(column.role)
            elif answer != "false":
                row.problems.append((column.heading, gettext("Type Yes, or leave it empty")))
        if not is_filled and len(self._sections) == 1:
            return (self._sections[0].role or "",)
        if not is_filled:
            row.problems.append((gettext("Roles"), gettext("Type Yes under at least one role")))
        return tuple(chosen)

    def _party(self, row: SheetRow, kind: str, roles: tuple[str, ...]) -> PartyRow:
        self._check_roles(row, kind, roles)
        specs: dict[str, FieldSpec] = {}
        raw: dict[str, Any] = {}
        for spec in self._draft.schema.fields_of(kind, roles):
            if spec.name in self._key_of and not spec.provided_by_agent:
                specs[spec.name] = spec
                raw[spec.name] = self._answer(row, spec)
        party = self._draft.as_party(Party(token=row.token, kind=kind, roles=list(roles), raw=without_blanks(raw)))
        impossible = self._draft.form_state.impossible_answers(party.record)
        for name, problem in {**party.record.answers.problems, **impossible}.items():
            self._add_problem(row, self._wrong_key(specs[name], problem.code, raw[name]), problem.message)
        for name, spec in specs.items():
            if spec.is_number and (note := spec.ambiguity_note(raw[name])):
                row.notes.append((self._columns[self._key_of[name]].heading, note.removesuffix(".")))
        name_fields = [name for name, spec in specs.items() if canonical.is_name(spec.canonical_field)]
        if name_fields and not party.record.label:
            self._add_problem(row, self._key_of[name_fields[0]], gettext("Enter a name"))
        for key in row.texts:
            if key[1] and key[1] not in specs:
                row.notes.append((self._columns[key].heading, gettext("Not asked for these roles, so we left it out")))
        return party

    def _wrong_key(self, spec: FieldSpec, code: str, answer: Any) -> Key:
        """Return the first column of an answer that its problem is in."""
        keys = [("", spec.name, part) for part in spec.wrong_parts(code, answer)]
        return next((key for key in keys if key in self._columns), self._key_of[spec.name])

    def _check_roles(self, row: SheetRow, kind: str, roles: tuple[str, ...]) -> None:
        for role in roles:
            sections = [section for section in self._sections if section.role == role]
            if not sections:
                problem = gettext("Leave this empty. This role is not needed at the moment")
                self._add_problem(row, (role, "", ""), problem)
            elif not any(section.allows(kind) for section in sections):
                problem = gettext("Leave this empty. A {kind} can’t have this role")
                self._add_problem(row, (role, "", ""), problem.format(kind=gettext(canonical.KIND_WORDS[kind])))

    def _answer(self, row: SheetRow, spec: FieldSpec) -> Any:
        texts = {part: row.texts.get(("", spec.name, part), "") for part in spec.cell_parts}
        if not any(texts.values()) or any(map(_is_damaged, texts.values())):
            return None
        if spec.refers_to_share_class:
            for share_class in self._draft.share_classes:
                if spreadsheet.fold(share_class.label) == spreadsheet.fold(texts[""]):
                    return share_class.token
            problem = gettext("Leave this empty. This application has no share classes yet")
            if self._draft.share_classes:
                labels = ", ".join(share_class.label for share_class in self._draft.share_classes)
                problem = gettext("Choose one of these: {words}").format(words=labels)
            self._add_problem(row, self._key_of[spec.name], problem)
            return None
        try:
            return spec.from_cells(texts)
        except AnswerError as error:
            self._add_problem(row, self._key_of[spec.name], error.message)
            return None


def _is_damaged(text: str) -> bool:
    """Tell whether a cell shows an error or a shortened number instead of what was typed."""
    return text.strip() in _ERRORS or _SHORTENED.fullmatch(text.strip()) is not None
