"""Validates the rows of a stored sheet against the draft as it is now: the party of each row, and its problems."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext

from formation_portal.contract import canonical
from formation_portal.contract.fields import spreadsheet
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.fields.parsing import is_blank
from formation_portal.contract.fields.values import AnswerError

from ..contacts import Match, MatchIndex
from ..draft import Draft
from ..models import Party
from ..parties import PartyRow
from .columns import KIND, Key, columns, keys_by_heading, kind_choices, kinds_by_word
from .grid import normalized_heading

# What a spreadsheet shows for a formula that fails.
_ERRORS = frozenset({"#REF!", "#N/A", "#VALUE!", "#DIV/0!", "#NAME?", "#NULL!", "#NUM!"})
_TICK_MARKS = frozenset({"x", "✓", "✔"})


@dataclass
class SheetRow:
    """One row. With `problems` it cannot be added; `match` is the party that seems to be the same.

    `texts` and `formulas` are its cells by column. Problems and notes are pairs of a column's heading and a sentence,
    and `missing` are the labels of what will still be needed once it is added.
    """

    number: int
    token: str
    texts: Mapping[Key, str]
    formulas: frozenset[Key]
    is_taken: bool
    party: PartyRow | None = None
    problems: list[tuple[str, str]] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    missing: tuple[str, ...] = ()
    match: Match | None = None

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
        texts = {key: text for key, text in zip(self._keys, kept["cells"], strict=False) if key and text.strip()}
        places = (self._keys[place] for place in kept["formulas"] if place < len(self._keys))
        token, formulas = str(kept["token"]), frozenset(key for key in places if key)
        row = SheetRow(int(kept["number"]), token, texts, formulas, is_taken=token in self._there)
        for key in self._columns:
            self._check_cell(row, key)
        kind, roles = self._kind(row), self._row_roles(row)
        if kind and roles:
            row.party = self._party(row, kind, roles)
            answers = row.party.record.answers
            if not row.problems:
                row.missing = tuple(
                    question.spec.label
                    for question in self._draft.form_state.party_questions(row.party.record)
                    if question.required and question.spec.name not in {*answers.values, *answers.problems}
                )
            if not row.is_taken:
                row.match = present.match(row.party)
        return row

    def _check_cell(self, row: SheetRow, key: Key) -> None:
        text = row.texts.get(key, "")
        if text.strip() in _ERRORS:
            self._add_problem(
                row, key, gettext("The cell shows the error {text}. Type the answer instead").format(text=text)
            )
        elif key in row.formulas and text:
            words = gettext("This cell contains a formula. We read its result: {text}").format(text=text)
            row.notes.append((self._columns[key].heading, words))
        elif key in row.formulas:
            self._add_problem(row, key, gettext("Type the answer. We can’t work out formulas"))

    def _add_problem(self, row: SheetRow, key: Key, text: str) -> None:
        row.problems.append((self._columns[key].heading, text))

    def _kind(self, row: SheetRow) -> str:
        """The kind of party; where the roles allow only one, the cell may be empty."""
        offered = kind_choices(self._asked)
        text = row.texts.get(KIND, "")
        if not text and len(offered) == 1:
            return offered[0].value
        kind = self._kinds.get(spreadsheet.fold(text), "")
        if not kind or kind not in {one.value for one in offered}:
            words = ", ".join(one.label for one in offered)
            self._add_problem(row, KIND, gettext("Choose one of these: {words}").format(words=words))
            return ""
        return kind

    def _row_roles(self, row: SheetRow) -> tuple[str, ...]:
        """The roles with a yes; where there is only one role, the cell may be empty."""
        is_filled = any(column.key in row.texts for column in self._roles)
        if len(self._asked) == 1 and not is_filled:
            return (self._asked[0].role or "",)
        chosen: list[str] = []
        for column in self._roles:
            text = row.texts.get(column.key, "")
            answer = (
                "true"
                if text.strip().lower() in _TICK_MARKS
                else spreadsheet.choice_value(text, spreadsheet.yes_and_no())
            )
            if answer == "true":
                chosen.append(column.role)
            elif answer not in ("false", ""):
                self._add_problem(row, column.key, gettext("Type Yes, or leave it empty"))
        if not chosen and not is_filled:
            row.problems.append((gettext("Roles"), gettext("Type Yes under at least one role")))
        return tuple(chosen)

    def _party(self, row: SheetRow, kind: str, roles: tuple[str, ...]) -> PartyRow:
        self._check_roles(row, kind, roles)
        specs = self._fields(kind, roles)
        raw = {spec.name: answer for spec in specs if not is_blank(answer := self._answer(row, spec))}
        party = self._draft.as_party(Party(token=row.token, kind=kind, roles=list(roles), raw=raw))
        impossible = self._draft.form_state.impossible_answers(party.record)
        for name, problem in {**party.record.answers.problems, **impossible}.items():
            self._add_problem(row, self._key_of(name), problem.message)
        if not party.record.label:
            named = next((spec.name for spec in specs if canonical.is_name(spec.canonical_field)), None)
            if named is not None:
                self._add_problem(row, self._key_of(named), gettext("Enter a name"))
        asked = {spec.name for spec in specs}
        for key in row.texts:
            if key[1] and key[1] not in asked:
                text = gettext("Not asked for these roles, so we left it out")
                row.notes.append((self._columns[key].heading, text))
        return party

    def _fields(self, kind: str, roles: tuple[str, ...]) -> tuple[FieldSpec, ...]:
        if (kind, roles) not in self._specs:
            fields = self._draft.schema.fields_of(kind, roles)
            asked = (spec for spec in fields if any(key[1] == spec.name for key in self._columns))
            self._specs[kind, roles] = tuple(spec for spec in asked if not spec.provided_by_agent)
        return self._specs[kind, roles]

    def _check_roles(self, row: SheetRow, kind: str, roles: tuple[str, ...]) -> None:
        for role in roles:
            sections = [section for section in self._asked if section.role == role]
            if not sections:
                self._add_problem(
                    row, (role, "", ""), gettext("Leave this empty. This role is not needed at the moment")
                )
            elif not any(section.allows(kind) for section in sections):
                word = gettext(canonical.KIND_WORDS[kind])
                self._add_problem(
                    row, (role, "", ""), gettext("Leave this empty. A {kind} can’t have this role").format(kind=word)
                )

    def _answer(self, row: SheetRow, spec: FieldSpec) -> Any:
        texts = {part: row.texts.get(("", spec.name, part), "") for part in spec.cell_parts}
        if not any(texts.values()) or any(text.strip() in _ERRORS for text in texts.values()):
            return None
        if spec.refers_to_share_class:
            words = {spreadsheet.fold(one.label): one.token for one in self._draft.share_classes}
            token = words.get(spreadsheet.fold(texts[""]))
            if token is None:
                problem = gettext("Enter a share class from this application")
                self._add_problem(row, self._key_of(spec.name), problem)
            return token
        try:
            return spec.from_cells(texts)
        except AnswerError as error:
            self._add_problem(row, self._key_of(spec.name), error.message)
            return None

    def _key_of(self, name: str) -> Key:
        return next(key for key in self._columns if key[1] == name)
