"""What every field of a form has and answers, whatever its type (interface, "Field")."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, ClassVar
from urllib.parse import quote

from pydantic import ConfigDict, SkipValidation, model_validator

from ..conditions import Condition
from ..localisation import format_number, get_language, gettext, gettext_noop
from ..texts import DescribedModel
from . import parsing, spreadsheet
from .bounds import NO_BOUNDS, Bounds, Days, Objection
from .cleaning import clean_line
from .values import PostData, Raw


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing that can be chosen: what is posted, and the words that people read."""

    value: str
    label: str


@dataclass(frozen=True, slots=True)
class Part:
    """One control of an answer that has several; the label is a message, and suggestions are what is often typed."""

    name: str
    label: str
    is_optional: bool = False
    suggestions: tuple[str, ...] = ()


def control_name(spec: FieldSpec, part: str = "") -> str:
    """The name of the field's control in a form; parts of one answer add theirs.

    Keys may hold anything, so they are quoted: no key can be mistaken for a part or for the page's own inputs.
    """
    return f"q:{quote_key(spec.key)}" + (f":{part}" if part else "")


def fields_by_name(fields: Iterable[FieldSpec]) -> Mapping[str, FieldSpec]:
    """The fields by the names of their answers; of those that share one, the last that the customer answers."""
    found: dict[str, FieldSpec] = {}
    for spec in fields:
        if spec.name not in found or not spec.provided_by_agent:
            found[spec.name] = spec
    return found


@lru_cache(maxsize=10_000)
def quote_key(text: str) -> str:
    """As part of a control's name. A page quotes its keys many times, and the next page the same ones."""
    return quote(text, safe="")


def _labels(data: Any) -> tuple[tuple[str, str], ...]:
    """Words by option, as pairs; what is no text is left out."""
    pairs = data.items() if isinstance(data, Mapping) else ()
    return tuple((str(option), label) for option, words in pairs if (label := parsing.text_or_none(words)))


class FieldSpec(DescribedModel):
    """What every field has, whatever its type (interface, "Field"; `help` is the supplement's).

    `name` is the one identity of its answer within its holder (the entity, a party, a share class).
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    template: ClassVar[str] = "text"
    # The parts of an answer that has several, each with the label of its control.
    parts: ClassVar[Mapping[str, str]] = {}
    # Parts that an answer is whole without, and those that are chosen from a list.
    optional_parts: ClassVar[frozenset[str]] = frozenset()
    chosen_parts: ClassVar[frozenset[str]] = frozenset()
    # The part that a problem lies in, by the problem's code.
    wrong_part: ClassVar[Mapping[str, str]] = {}
    many: ClassVar[bool] = False
    missing_text: ClassVar[str] = gettext_noop("Enter “{label}”")
    needs_options: ClassVar[bool] = False
    refers_to_share_class: ClassVar[bool] = False
    is_number: ClassVar[bool] = False
    bounds_type: ClassVar[type[Bounds]] = Bounds
    is_known: ClassVar[bool] = True
    # The most characters that one text of an answer may have.
    max_length: ClassVar[int] = parsing.LINE_LIMIT
    # What to type into a cell of a spreadsheet, where the question's own words don't say it.
    cell_hint: ClassVar[str] = ""

    key: str
    canonical_field: str | None = None
    csp_field_key: str | None = None
    label: str = ""
    field_type: str = "text"
    required: bool = False
    options: tuple[str, ...] = ()
    # Options that exclude every other one, like "None of these" (supplement, "Members that a schema may add").
    exclusive_options: tuple[str, ...] = ()
    # What people read for an option, by option (supplement, "Members that a schema may add").
    option_labels: tuple[tuple[str, str], ...] = ()
    allowed_currencies: tuple[str, ...] = ()
    provided_by_agent: bool = False
    depends_on: Condition | None = None
    help: str = ""
    # The heading under which neighbouring questions of a section stand together.
    group: str = ""
    # The bounds of its values, and the reason for those that the schema states (supplement, "Bounds").
    bounds: SkipValidation[Bounds] = NO_BOUNDS
    bound_message: str = ""
    # Whether label and help are our own, since the schema lists no such question.
    is_ours: bool = False

    @model_validator(mode="before")
    @classmethod
    def _read_leniently(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        read = {name: parsing.text_or_none(data.get(name)) for name in ("canonical_field", "csp_field_key")}
        key = parsing.text_or_none(data.get("key")) or read["canonical_field"] or read["csp_field_key"]
        if key is None:
            raise ValueError("a field has neither key, canonical_field nor csp_field_key")
        currencies = parsing.texts(data.get("allowed_currencies"))
        bounds = cls.bounds_type.read(data, canonical_field=read["canonical_field"], currencies=currencies)
        return read | {
            "key": key,
            "label": parsing.text_or_none(data.get("label")) or key,
            "field_type": str(data.get("field_type", "text")),
            "required": data.get("required") is True,
            "options": parsing.texts(data.get("options")),
            "exclusive_options": parsing.texts(data.get("exclusive_options")),
            "option_labels": _labels(data.get("option_labels")),
            "allowed_currencies": currencies,
            "provided_by_agent": data.get("provided_by_agent") is True,
            "depends_on": None if data.get("depends_on") is None else data["depends_on"],
            "help": parsing.text_or_none(data.get("help")) or "",
            "group": parsing.text_or_none(data.get("group")) or "",
            "bounds": bounds,
            "bound_message": parsing.text_or_none(data.get("bound_message")) or "",
        }

    # Asked for a dozen times on every page.
    @cached_property
    def name(self) -> str:
        """Canonical name, else the provider's, else the key."""
        return self.canonical_field or self.csp_field_key or self.key

    def language_of(self, text: str) -> str:
        return get_language() if self.is_ours else super().language_of(text)

    @property
    def is_declaration(self) -> bool:
        """Tell whether the answer declares something, so that it is never copied to another application."""
        return False

    def parts_for(self, raw: Any) -> tuple[Part, ...]:
        """The parts as they are drawn for what is typed."""
        return tuple(Part(name, label, name in self.optional_parts) for name, label in self.parts.items())

    def from_post(self, post: PostData, control: str) -> Raw | None:
        """The answer exactly as typed, or None where the form did not hold this control."""
        if self.many:
            values = post.getlist(control)
            return [parsing.without_null(value) for value in values if value != ""] if values else None
        if self.parts:
            typed = {part: post.get(f"{control}:{part}") for part in self.parts}
            if all(value is None for value in typed.values()):
                return None
            given = ((part, value) for part, value in typed.items() if value is not None)
            return {part: self.normalised(parsing.without_null(value), part) for part, value in given}
        value = post.get(control)
        return None if value is None else self.normalised(parsing.without_null(value))

    def resolve_exclusive(self, raw: Any, before: Any) -> Any:
        """What was posted, where one choice excludes another: the one that was not there before counts."""
        return raw

    def normalised(self, text: str, part: str = "") -> str:
        """What was typed in the reader's notation, as a draft keeps it."""
        return text

    def too_long_message(self, raw: Any) -> str:
        """What to do about an answer that is longer than any that can be read; empty for every other one.

        A draft does not keep it: whoever typed it is told at the field, and what was there stays.
        """
        texts = raw.values() if isinstance(raw, Mapping) else raw if isinstance(raw, list | tuple) else [raw]
        length = max((parsing.length(text) for text in texts if isinstance(text, str)), default=0)
        if length <= self.max_length:
            return ""
        said = {"label": self.label, "limit": format_number(self.max_length), "length": format_number(length)}
        return gettext("Shorten “{label}” to {limit} characters or fewer. It has {length}", **said)

    def localised(self, raw: Any) -> Any:
        """What a draft keeps, in the reader's notation."""
        return raw

    def ambiguity_note(self, raw: Any) -> str:
        """What to check in an answer that a draft keeps, or how it is read where that is not clear; else nothing."""
        return ""

    def clean(self, raw: Any) -> Any | None:
        """The answer as a value, or None where there is none. Takes what a form posts and what `payload` gives.

        Raises AnswerError where it cannot be read.
        """
        return None if parsing.is_blank(raw) else self._parse(raw)

    def _parse(self, raw: Any) -> Any:
        return parsing.line(raw, label=self.label)

    def objection(self, value: Any, *, days: Days | None) -> Objection | None:
        """Return why a value that can be read lies outside the field's bounds, or None (supplement, "Bounds")."""
        return self.bounds.objection(value, self, days)

    def wrong_parts(self, code: str, raw: Any) -> tuple[str, ...]:
        """The parts that a problem lies in: those that are missing, else what its code tells, else all of them."""
        if code in self.wrong_part:
            return (self.wrong_part[code],)
        typed = raw if isinstance(raw, Mapping) else {}
        required = (part for part in self.parts if part not in self.optional_parts)
        missing = tuple(part for part in required if parsing.is_blank(typed.get(part)))
        return missing if missing and code.startswith("incomplete") else tuple(self.parts)

    def payload(self, value: Any) -> Any:
        """The JSON that goes to the service."""
        return list(value) if self.many else value

    def display(self, value: Any) -> str:
        """The answer in words, to be read back."""
        return str(value)

    def choices(self) -> tuple[Choice, ...]:
        """What can be chosen; empty where anything can be typed."""
        return ()

    @property
    def listing(self) -> str:
        """What the codes name that can be chosen: "countries", "currencies", or nothing where there are none."""
        return ""

    def codes_of(self, value: Any) -> tuple[str, ...]:
        """The codes of that list that an answer names."""
        return (value,) if isinstance(value, str) else tuple(value)

    @property
    def has_own_words(self) -> bool:
        """Whether what can be chosen is in the schema's words."""
        return False

    @property
    def cell_parts(self) -> tuple[str, ...]:
        """The parts of the answer that have columns of their own in a spreadsheet; one without a name for a whole."""
        return tuple(self.parts) or ("",)

    def cell_choices(self, part: str = "") -> tuple[Choice, ...]:
        """What can be chosen in that column."""
        return self.choices()

    @property
    def cell_words(self) -> Mapping[str, str]:
        """The values of its choices by what people write: countries in any language, others in the reader's."""
        if self.listing == "countries":
            return spreadsheet.countries()
        if get_language() not in self._cell_words:
            self._cell_words[get_language()] = spreadsheet.values_by_label(
                (one.value, one.label) for one in self.choices()
            )
        return self._cell_words[get_language()]

    @cached_property
    def _cell_words(self) -> dict[str, Mapping[str, str]]:
        return {}

    def from_cells(self, texts: Mapping[str, str]) -> Raw:
        """The answer as a form would post it, from the text of each column. Raises AnswerError."""
        if not self.parts:
            return clean_line(texts.get("", ""))
        filled = {part: text for part, raw in texts.items() if (text := clean_line(raw))}
        chosen = self.chosen_parts.intersection(filled)
        return filled | {part: spreadsheet.choice_value(filled[part], self.cell_words) for part in chosen}

    @property
    def missing_message(self) -> str:
        """What to do about a missing answer, as a sentence's beginning: Enter “First name”."""
        return gettext(self.missing_text, label=self.label)
