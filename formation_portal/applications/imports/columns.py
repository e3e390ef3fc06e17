"""The columns of a sheet of parties, made from the schema alone: kind, roles, and the questions of all roles."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext

from formation_portal.contract import canonical
from formation_portal.contract.fields.base import Choice, FieldSpec
from formation_portal.contract.fields.spreadsheet import fold
from formation_portal.contract.schema import FormSchema, Section

from ..translation import in_language
from .grid import NEEDED_MARK, normalized_heading

# The subject of a column: (role, field name, part of the answer); all empty for the column of the kind.
Key = tuple[str, str, str]
KIND: Key = ("", "", "")


@dataclass(frozen=True, slots=True)
class AskedIn:
    """A place that asks a question: the section of a role, for a kind of party."""

    kind: str
    section: Section
    spec: FieldSpec


@dataclass(frozen=True, slots=True)
class Column:
    """A column. `asked_in` are the places that ask its question; role and kind columns have none."""

    heading: str
    role: str = ""
    name: str = ""
    part: str = ""
    asked_in: tuple[AskedIn, ...] = ()

    @property
    def key(self) -> Key:
        return (self.role, self.name, self.part)

    @property
    def spec(self) -> FieldSpec | None:
        """Return the field as defined in the first section that asks it; None for a column of roles or kinds."""
        return self.asked_in[0].spec if self.asked_in else None

    @property
    def is_needed(self) -> bool:
        """Tell whether any place always requires the answer."""
        specs = (place.spec for place in self.asked_in if self.part not in place.spec.optional_parts)
        return any(spec.required and spec.depends_on is None for spec in specs)

    @property
    def marked(self) -> str:
        return f"{self.heading} {NEEDED_MARK}" if self.is_needed or self.key == KIND else self.heading


def columns(schema: FormSchema) -> tuple[Column, ...]:
    """Return the columns of the form, in its order and in the reader's language; no two headings are equal."""
    columns = [Column(gettext("Kind"))]
    for role in dict.fromkeys(section.role for section in schema.role_sections if section.role):
        columns.append(Column(gettext("Role: {role}").format(role=canonical.role_word(role)), role=role))
    columns += _questions(schema)
    return tuple(_with_distinct_headings(columns))


def keys_by_heading(schema: FormSchema) -> dict[str, Key]:
    """Return column keys by normalized heading, in every language that a sheet may have, also the form's own."""
    keys: dict[str, Key] = {}
    for code, _ in settings.LANGUAGES:
        with translation.override(code):
            for column in (*columns(in_language(schema, code)), *columns(schema)):
                keys.setdefault(normalized_heading(column.heading), column.key)
    return keys


def kinds_by_word() -> Mapping[str, str]:
    kinds: dict[str, str] = {}
    for kind in canonical.PARTY_KINDS:
        kinds[fold(kind)] = kind
        kinds[fold(canonical.KIND_WORDS[kind])] = kind
        for code, _ in settings.LANGUAGES:
            with translation.override(code):
                kinds[fold(canonical.kind_title(kind))] = kind
    return kinds


def kind_choices(sections: Collection[Section]) -> tuple[Choice, ...]:
    kinds = [kind for kind in canonical.PARTY_KINDS if any(section.allows(kind) for section in sections)]
    return tuple(Choice(kind, canonical.kind_title(kind)) for kind in kinds)


def _questions(schema: FormSchema) -> Iterator[Column]:
    places: dict[str, list[AskedIn]] = {}
    for kind in canonical.PARTY_KINDS:
        for section in schema.role_sections:
            for spec in section.groups[kind]:
                if section.allows(kind) and not spec.provided_by_agent and schema.why_unanswerable(spec) is None:
                    places.setdefault(spec.name, []).append(AskedIn(kind, section, spec))
    # Names come first.
    for name, asked_in in sorted(places.items(), key=lambda place: not canonical.is_name(place[0])):
        spec = asked_in[0].spec
        for part in spec.cell_parts:
            heading = spec.label
            if part and len(spec.cell_parts) > 1:
                heading = f"{spec.label}: {gettext(spec.parts[part])}"
            yield Column(heading, name=name, part=part, asked_in=tuple(asked_in))


def _with_distinct_headings(unnamed: Sequence[Column]) -> Iterator[Column]:
    """Append the party kinds to a heading that is repeated or not asked of people, then the name if still repeated."""
    by_label = Counter(normalized_heading(column.heading) for column in unnamed)
    named: list[Column] = []
    for column in unnamed:
        is_repeated = by_label[normalized_heading(column.heading)] > 1
        kinds = dict.fromkeys(place.kind for place in column.asked_in)
        if kinds and (is_repeated or canonical.PERSON not in kinds):
            titles = ", ".join(map(canonical.kind_title, kinds))
            column = replace(column, heading=f"{column.heading} ({titles})")
        named.append(column)
    by_heading = Counter(normalized_heading(column.heading) for column in named)
    for column in named:
        if by_heading[normalized_heading(column.heading)] > 1 and column.name:
            column = replace(column, heading=f"{column.heading} ({column.name})")
        yield column
