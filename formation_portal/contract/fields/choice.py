"""The field types with chosen answers: options, yes and no, countries, share classes (INTERFACE.md, "Field")."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any, ClassVar

from ..conditions import count_of
from ..localisation import gettext, gettext_noop, ngettext
from . import parsing, spreadsheet
from .base import Choice, FieldSpec
from .bounds import Bounds, Days, Objection
from .iso_codes import (
    COUNTRIES,
    by_country_name,
    by_currency_name,
    country_name,
    currency_name,
    is_country,
    is_currency,
)
from .values import AnswerError, Raw

# A schema may begin a short list with likely currencies, so only longer lists are sorted.
_LONG_CURRENCY_LIST = 12
# A sentence names all options if their labels have no more characters together.
_MAX_OPTIONS_LENGTH = 200


@dataclass(frozen=True, slots=True)
class ChoiceBounds(Bounds):
    members: ClassVar[tuple[str, ...]] = ("maximum",)

    maximum: int | None = None

    @classmethod
    def _read_member(cls, member: str, value: Any, currencies: tuple[str, ...]) -> Any:
        return count_of(value) or None

    def _objections(self, value: tuple[str, ...], spec: FieldSpec, days: Days | None) -> Iterator[Objection]:
        if self.maximum is not None and len(value) > self.maximum:
            generic = ngettext(
                "Choose at most {count} answer to “{label}”",
                "Choose at most {count} answers to “{label}”",
                self.maximum,
                label=spec.label,
            )
            excess = Decimal(len(value) - self.maximum)
            yield Objection("too_many_options", self._sentence("maximum", spec, generic), excess)


class _ListField(FieldSpec):
    """Base of fields whose answer is chosen from a list. A spreadsheet's cell has labels, separated by semicolons."""

    missing_text: ClassVar[str] = gettext_noop("Choose “{label}”")

    def valid_answer(self) -> Any:
        values = [choice.value for choice in self.choices()[:1]]
        return values if self.many else "".join(values)

    def valid_answers(self) -> tuple[Any, ...]:
        values = [choice.value for choice in self.choices()]
        return tuple([value] for value in values) if self.many else tuple(values)

    def from_cells(self, texts: Mapping[str, str]) -> Raw:
        text = texts.get("", "")
        if self.many:
            return spreadsheet.choice_values(text, self.cell_words)
        return spreadsheet.choice_value(text, self.cell_words)


class _OptionField(_ListField):
    """Base of select and multi_select: options are texts, or codes of countries or currencies."""

    needs_options: ClassVar[bool] = True

    def choices(self) -> tuple[Choice, ...]:
        return tuple(Choice(option, self._option_label(option)) for option in self._sorted_options)

    @property
    def _sorted_options(self) -> tuple[str, ...]:
        """Return the options in the order of the schema, but countries and long lists of currencies by name."""
        if self.listing == "currencies" and len(self.options) > _LONG_CURRENCY_LIST:
            return by_currency_name(self.options)
        if self.listing == "countries":
            return by_country_name(self.options)
        return self.options

    @cached_property
    def listing(self) -> str:
        if not self.options:
            return ""
        if all(map(is_country, self.options)):
            return "countries"
        return "currencies" if all(map(is_currency, self.options)) else ""

    @cached_property
    def has_own_words(self) -> bool:
        is_translated = all(self.language_of(self._labels.get(option, "")) for option in self.options)
        return bool(self.options) and not self.listing and not is_translated

    @cached_property
    def _labels(self) -> dict[str, str]:
        return dict(self.option_labels)

    def _option_label(self, option: str) -> str:
        if self.listing == "countries":
            return country_name(option)
        if self.listing == "currencies":
            return f"{currency_name(option)} ({option})"
        return self._labels.get(option, option)

    def _parse_option(self, raw: Any) -> str:
        if raw not in self.options:
            raise AnswerError("not_an_option", self._option_message)
        return str(raw)

    @property
    def _option_message(self) -> str:
        """Return the sentence about an answer that is no option. A spreadsheet does not show the options."""
        if self.listing == "countries":
            return gettext("Choose “{label}” from the list of countries", label=self.label)
        options = "; ".join(choice.label for choice in self.choices())
        if len(options) > _MAX_OPTIONS_LENGTH:
            return gettext("Choose one of the options for “{label}”", label=self.label)
        return gettext("Choose one of these for “{label}”: {options}", label=self.label, options=options)


class SelectField(_OptionField):
    """A choice of a single option."""

    type_name: ClassVar[str] = "select"

    def _parse(self, raw: Any) -> str:
        return self._parse_option(raw)

    def display(self, value: Any) -> str:
        return self._option_label(value)


class MultiSelectField(_OptionField):
    """Any of the options, each once. A field with a single option is a declaration."""

    type_name: ClassVar[str] = "multi_select"
    many: ClassVar[bool] = True
    cell_hint: ClassVar[str] = gettext_noop("One or more answers, separated by semicolons.")
    bounds_type: ClassVar[type[Bounds]] = ChoiceBounds

    @cached_property
    def effective_exclusive_options(self) -> frozenset[str]:
        return frozenset(self.exclusive_options).intersection(self.options)

    @property
    def is_declaration(self) -> bool:
        return len(self.options) == 1

    def resolve_exclusive(self, raw: Any, before: Any) -> Any:
        if not isinstance(raw, list) or len(raw) < 2 or self.effective_exclusive_options.isdisjoint(raw):
            return raw
        exclusive = self.effective_exclusive_options
        old = before if isinstance(before, list) else []
        new = [option for option in raw if option not in old]
        if len(new) == 1 and new[0] in exclusive:
            return new
        if new and exclusive.isdisjoint(new):
            return [option for option in raw if option not in exclusive]
        # New options that exclude each other are refused.
        return raw

    def _parse(self, raw: Any) -> tuple[str, ...] | None:
        chosen = set(map(self._parse_option, parsing.members(raw, label=self.label)))
        exclusive = sorted(chosen & self.effective_exclusive_options)
        if len(chosen) > 1 and exclusive:
            label = self._option_label(exclusive[0])
            message = gettext("Untick “{option}” or the other answers to “{label}”", option=label, label=self.label)
            raise AnswerError("not_an_option", message)
        return tuple([option for option in dict.fromkeys(self.options) if option in chosen]) or None

    def display(self, value: Any) -> str:
        return ", ".join(self._option_label(option) for option in self._sorted_options if option in value)

    @property
    def missing_message(self) -> str:
        if self.is_declaration:
            return gettext("Tick “{label}”", label=self.label)
        return super().missing_message


class BooleanField(FieldSpec):
    """Yes or no; an unanswered field equals neither."""

    type_name: ClassVar[str] = "boolean"
    example: ClassVar[Any] = True
    payload_hint: ClassVar[str] = "true or false"
    further_examples: ClassVar[tuple[Any, ...]] = (False,)
    missing_text: ClassVar[str] = gettext_noop("Answer “{label}”")

    def _parse(self, raw: Any) -> bool:
        if raw is True or raw == "true":
            return True
        if raw is False or raw == "false":
            return False
        raise AnswerError("not_a_boolean", gettext("Answer “{label}” with yes or no", label=self.label))

    def from_cells(self, texts: Mapping[str, str]) -> Raw:
        return spreadsheet.choice_value(texts.get("", ""), spreadsheet.YES_AND_NO)

    def display(self, value: Any) -> str:
        return gettext("Yes") if value else gettext("No")

    def choices(self) -> tuple[Choice, ...]:
        return (Choice("true", gettext("Yes")), Choice("false", gettext("No")))


class NationalityField(_ListField):
    """Nationalities, as ISO 3166-1 alpha-2 codes."""

    type_name: ClassVar[str] = "nationality"
    payload_hint: ClassVar[str] = "a list of countries by their codes in ISO 3166-1, like CH"
    many: ClassVar[bool] = True
    cell_hint: ClassVar[str] = gettext_noop("One or more countries, separated by semicolons.")
    listing: ClassVar[str] = "countries"

    def _parse(self, raw: Any) -> tuple[str, ...] | None:
        codes = parsing.members(raw, label=self.label)
        if not all(isinstance(code, str) and is_country(code) for code in codes):
            raise AnswerError("not_a_country", gettext("Choose “{label}” from the list of countries", label=self.label))
        return tuple(dict.fromkeys(codes)) or None

    def display(self, value: Any) -> str:
        return ", ".join(country_name(code) for code in value)

    def choices(self) -> tuple[Choice, ...]:
        return tuple(Choice(code, country_name(code)) for code in by_country_name(COUNTRIES))


class ShareClassRefField(FieldSpec):
    """A share class of the same entity, by its id."""

    type_name: ClassVar[str] = "share_class_ref"
    payload_hint: ClassVar[str] = "the id of a share class of this entity"
    missing_text: ClassVar[str] = gettext_noop("Choose “{label}”")
    refers_to_share_class: ClassVar[bool] = True
    cell_hint: ClassVar[str] = gettext_noop("The name of the share class, as in this application.")
