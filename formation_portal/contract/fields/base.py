"""The base of all field types (INTERFACE.md, "Field"), and of all models that a service describes in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, ClassVar, NamedTuple, Self
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, PrivateAttr, SkipValidation, model_validator

from ..conditions import Condition
from ..localisation import format_number, get_language, gettext, gettext_noop
from . import parsing, spreadsheet
from .bounds import NO_BOUNDS, Bounds
from .cleaning import clean_line
from .values import PostData, Raw


class Choice(NamedTuple):
    value: str
    label: str


@dataclass(frozen=True, slots=True)
class Part:
    """A part of an answer, with its own control. `label` is untranslated; `suggestions` are frequent answers."""

    name: str
    label: str
    is_optional: bool = False
    suggestions: tuple[str, ...] = ()


def control_name(spec: FieldSpec) -> str:
    """Name a field's control. Keys are quoted, so that no name equals that of a part or another input."""
    return f"q:{quote_key(spec.key)}"


def fields_by_name(fields: Iterable[FieldSpec]) -> Mapping[str, FieldSpec]:
    """Map the names of answers to fields. Of fields that share a name, the last that the customer answers counts."""
    by_name: dict[str, FieldSpec] = {}
    for spec in fields:
        if spec.name not in by_name or not spec.provided_by_agent:
            by_name[spec.name] = spec
    return by_name


@lru_cache(maxsize=10_000)
def quote_key(text: str) -> str:
    return quote(text, safe="")


class DescribedModel(BaseModel):
    """A model whose texts are in the catalog's language or another; `language_of` tells which."""

    _original: Self | None = PrivateAttr(default=None)
    _language: str = PrivateAttr(default="")
    _translated_texts: frozenset[str] = PrivateAttr(default=frozenset())

    @property
    def original(self) -> Self:
        return self._original or self

    @property
    def translated_texts(self) -> frozenset[str]:
        """Return the texts of the model and its parts that are not in the language of the catalog."""
        return self._translated_texts

    def language_of(self, text: str) -> str:
        """Return the language of a text of the model or its parts; "" for the language of the catalog."""
        return self._language if text in self._translated_texts else ""

    def translated(self, language: str, translated_texts: Iterable[str], **changes: Any) -> Self:
        """Return a copy with `changes`, which are not validated. Cached properties of the copy are computed again."""
        copy = self.model_copy()
        for name in copy.__dict__.keys() - type(self).model_fields:
            del copy.__dict__[name]
        copy.__dict__.update(changes)
        copy._original = self.original
        copy._language = language
        copy._translated_texts = frozenset(translated_texts)
        return copy


class FieldSpec(DescribedModel):
    """Base of all field types (INTERFACE.md, "Field"). `name` identifies the answer within its holder."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    # The type's name in a schema, and the template in templates/fields that draws it, if it is another type's.
    type_name: ClassVar[str] = "text"
    control: ClassVar[str] = ""
    # A valid answer, as a payload has it, where the schema does not decide which answers are valid.
    example: ClassVar[Any] = "Test"
    # The JSON value that answers the field, in words for programs that call the service.
    payload_hint: ClassVar[str] = "a text"
    # Other valid answers, for trying the rules of a schema.
    further_examples: ClassVar[tuple[Any, ...]] = ()
    # The parts of a composite answer, each with the label of its control.
    parts: ClassVar[Mapping[str, str]] = {}
    # Parts that a complete answer may lack, and parts that are chosen from a list.
    optional_parts: ClassVar[frozenset[str]] = frozenset()
    chosen_parts: ClassVar[frozenset[str]] = frozenset()
    # Parts that must be texts in a payload.
    text_parts: ClassVar[tuple[str, ...]] = ()
    # The part that a problem lies in, by the problem's code.
    wrong_part: ClassVar[Mapping[str, str]] = {}
    # Tick boxes beside the control, by the last part of their names.
    ticks: ClassVar[tuple[str, ...]] = ()
    many: ClassVar[bool] = False
    missing_text: ClassVar[str] = gettext_noop("Enter “{label}”")
    needs_options: ClassVar[bool] = False
    refers_to_share_class: ClassVar[bool] = False
    is_number: ClassVar[bool] = False
    bounds_type: ClassVar[type[Bounds]] = Bounds
    is_known: ClassVar[bool] = True
    # The most characters that one text of an answer may have.
    max_length: ClassVar[int] = parsing.LINE_LIMIT
    # A hint on what to type into a cell of a spreadsheet.
    cell_hint: ClassVar[str] = ""

    key: str
    canonical_field: str | None = None
    csp_field_key: str | None = None
    label: str = ""
    field_type: str = "text"
    required: bool = False
    options: tuple[str, ...] = ()
    # Options that exclude every other one, like "None of these" (INTERFACE.md, "Optional members").
    exclusive_options: tuple[str, ...] = ()
    # Pairs of option and label (INTERFACE.md, "Optional members").
    option_labels: tuple[tuple[str, str], ...] = ()
    allowed_currencies: tuple[str, ...] = ()
    provided_by_agent: bool = False
    depends_on: Condition | None = None
    help: str = ""
    # The heading that neighbouring questions share.
    group: str = ""
    # The bounds of the answer, and the reason for those that the schema states (INTERFACE.md, "Bounds").
    bounds: SkipValidation[Bounds] = NO_BOUNDS
    bound_message: str = ""
    # The schema does not list the question: label and help are the portal's own texts.
    is_ours: bool = False

    @model_validator(mode="before")
    @classmethod
    def _read_leniently(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        canonical_field = parsing.text_or_none(data.get("canonical_field"))
        csp_field_key = parsing.text_or_none(data.get("csp_field_key"))
        key = parsing.text_or_none(data.get("key")) or canonical_field or csp_field_key
        if key is None:
            raise ValueError("a field has neither key, canonical_field nor csp_field_key")
        currencies = parsing.texts(data.get("allowed_currencies"))
        # Labels that are not text are left out.
        labels = parsing.mapping_or_empty(data.get("option_labels"))
        return {
            "key": key,
            "canonical_field": canonical_field,
            "csp_field_key": csp_field_key,
            "label": parsing.text_or_none(data.get("label")) or key,
            "field_type": str(data.get("field_type", cls.type_name)),
            "required": data.get("required") is True,
            "options": parsing.texts(data.get("options")),
            "exclusive_options": parsing.texts(data.get("exclusive_options")),
            "option_labels": tuple(
                (str(option), text) for option, text in labels.items() if parsing.text_or_none(text)
            ),
            "allowed_currencies": currencies,
            "provided_by_agent": data.get("provided_by_agent") is True,
            "depends_on": data.get("depends_on"),
            "help": parsing.text_or_none(data.get("help")) or "",
            "group": parsing.text_or_none(data.get("group")) or "",
            "bounds": cls.bounds_type.read(data, canonical_field=canonical_field, currencies=currencies),
            "bound_message": parsing.text_or_none(data.get("bound_message")) or "",
        }

    @cached_property
    def name(self) -> str:
        return self.canonical_field or self.csp_field_key or self.key

    def language_of(self, text: str) -> str:
        return get_language() if self.is_ours else super().language_of(text)

    def valid_answer(self) -> Any:
        """Return a valid answer, as a payload has it. A probe of a service sends it."""
        return self.example

    def valid_answers(self) -> tuple[Any, ...]:
        """Return valid answers that differ, as a payload has them. The schema's bounds may exclude some."""
        return (self.valid_answer(), *self.further_examples)

    @property
    def is_declaration(self) -> bool:
        """Tell whether the answer is a declaration, which is never copied to another application."""
        return False

    def parts_for(self, raw: Any) -> tuple[Part, ...]:
        return tuple(Part(name, label, name in self.optional_parts) for name, label in self.parts.items())

    def from_post(self, post: PostData, control: str) -> Raw | None:
        """Return the answer as typed, or None if the form did not have the control."""
        if self.many:
            values = post.getlist(control)
            if not values:
                return None
            return [parsing.without_null(value) for value in values if value != ""]
        if self.parts:
            typed = {}
            for part in self.parts:
                value = post.get(f"{control}:{part}")
                if value is not None:
                    typed[part] = self.normalised(parsing.without_null(value), part)
            return typed or None
        value = post.get(control)
        if value is None:
            return None
        return self.normalised(parsing.without_null(value))

    def resolve_exclusive(self, raw: Any, before: Any) -> Any:
        return raw

    def normalised(self, text: str, part: str = "") -> str:
        """Turn a text in the reader's notation into the notation of a draft."""
        return text

    def too_long_message(self, raw: Any) -> str:
        """Return the message about an answer that is too long to be saved, or ""."""
        if isinstance(raw, Mapping):
            raw = raw.values()
        texts = (raw,) if isinstance(raw, str) or not isinstance(raw, Iterable) else raw
        length = max((parsing.length(text) for text in texts if isinstance(text, str)), default=0)
        if length <= self.max_length:
            return ""
        values = {"label": self.label, "limit": format_number(self.max_length), "length": format_number(length)}
        return gettext("Shorten “{label}” to {limit} characters or fewer. It has {length}", **values)

    def localised(self, raw: Any) -> Any:
        """Turn an answer of a draft into the reader's notation."""
        return raw

    def ambiguity_note(self, raw: Any) -> str:
        """Return advice on a draft's answer, or how an ambiguous answer is understood; "" for most."""
        return ""

    def clean(self, raw: Any) -> Any | None:
        """Parse a posted answer or a payload into a value; None if it is blank. Raises AnswerError."""
        return None if parsing.is_blank(raw) else self._parse(raw)

    def clean_choice(self, value: Any) -> Any | None:
        """Parse a single value, also of a field that takes several. Raises AnswerError."""
        if self.many and not isinstance(value, list):
            return self.clean([value])
        return self.clean(value)

    def _parse(self, raw: Any) -> Any:
        return parsing.line(raw, label=self.label)

    def wrong_parts(self, code: str, raw: Any) -> tuple[str, ...]:
        """Return the parts that a problem is in: by its code, else the missing parts, else all."""
        if code in self.wrong_part:
            return (self.wrong_part[code],)
        if code.startswith("incomplete") and isinstance(raw, Mapping):
            required = self.parts.keys() - self.optional_parts
            return tuple(part for part in self.parts if part in required and parsing.is_blank(raw.get(part)))
        return tuple(self.parts)

    def payload(self, value: Any) -> Any:
        return list(value) if self.many else value

    def display(self, value: Any) -> str:
        return str(value)

    def choices(self) -> tuple[Choice, ...]:
        """Return the values that can be chosen; empty if anything can be typed."""
        return ()

    @property
    def listing(self) -> str:
        return ""

    def codes_of(self, value: Any) -> tuple[str, ...]:
        return (value,) if isinstance(value, str) else tuple(value)

    @property
    def has_own_words(self) -> bool:
        """Tell whether the choices show the schema's labels, untranslated."""
        return False

    @property
    def cell_parts(self) -> tuple[str, ...]:
        """Return the parts that have a column in a spreadsheet; "" is the whole answer."""
        return tuple(self.parts) or ("",)

    def cell_choices(self, part: str = "") -> tuple[Choice, ...]:
        return self.choices()

    @property
    def cell_words(self) -> Mapping[str, str]:
        """Map labels to values: country names in any language, other labels in the reader's."""
        if self.listing == "countries":
            return spreadsheet.countries()
        return spreadsheet.values_by_label(self.choices())

    def from_cells(self, texts: Mapping[str, str]) -> Raw:
        """Return the answer as a form posts it, from the text of each column. Raises AnswerError."""
        if not self.parts:
            return clean_line(texts.get("", ""))
        answer = {}
        for part, raw in texts.items():
            if text := clean_line(raw):
                if part in self.chosen_parts:
                    text = spreadsheet.choice_value(text, self.cell_words)
                answer[part] = text
        return answer

    @property
    def missing_message(self) -> str:
        return gettext(self.missing_text, label=self.label)
