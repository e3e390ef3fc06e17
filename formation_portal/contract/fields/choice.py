"""The field types whose answer is chosen: from options, yes and no, countries, share classes (interface, "Field")."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar, Literal

from ..localisation import gettext, gettext_noop
from . import parsing, spreadsheet
from .base import Choice, FieldSpec
from .bounds import Bounds, ChoiceBounds
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

# A list of so many currencies is read from its beginning, where a schema has those that are likely.
_LONG_CURRENCY_LIST = 12


class _ListField(FieldSpec):
    """What is chosen from a list; in a spreadsheet by its words, several apart by semicolons."""

    missing_text: ClassVar[str] = gettext_noop("Choose “{label}”")

    def from_cells(self, texts: Mapping[str, str]) -> Raw:
        read = spreadsheet.choice_values if self.many else spreadsheet.choice_value
        return read(texts.get("", ""), self.cell_words)


class _OptionField(_ListField):
    """What select and multi_select share: options are words, or codes of countries or currencies."""

    needs_options: ClassVar[bool] = True

    def choices(self) -> tuple[Choice, ...]:
        return tuple(Choice(option, self._option_label(option)) for option in self._sorted_options)

    @property
    def _sorted_options(self) -> tuple[str, ...]:
        """The options as people look for them: countries and many currencies A to Z, else as the schema has them."""
        if self.listing == "currencies" and len(self.options) > _LONG_CURRENCY_LIST:
            return by_currency_name(self.options)
        return by_country_name(self.options) if self.listing == "countries" else self.options

    # Asked for each option of a long list, so it is worked out once.
    @cached_property
    def listing(self) -> str:
        """Where every option is such a code; such a list is drawn as names."""
        if self.options and all(map(is_country, self.options)):
            return "countries"
        return "currencies" if self.options and all(map(is_currency, self.options)) else ""

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
        return f"{currency_name(option)} ({option})" if self.listing else self._labels.get(option, option)

    @cached_property
    def _distinct_options(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.options))

    def _parse_option(self, raw: Any) -> str:
        if raw not in self.options:
            raise AnswerError("not_an_option", gettext("Choose one of the options for “{label}”", label=self.label))
        return str(raw)


class SelectField(_OptionField):
    """One of the options. Example: "Perpetual" of ["Perpetual", "Fixed term"] (interface, "Field")."""

    template: ClassVar[str] = "select"
    field_type: Literal["select"] = "select"

    def _parse(self, raw: Any) -> str:
        return self._parse_option(raw)

    def display(self, value: Any) -> str:
        return self._option_label(value)


class MultiSelectField(_OptionField):
    """Any of the options, each once. Example: ["E-commerce", "Consulting"]. With a single option it is one tick box,
    for declarations (supplement, "Values")."""

    template: ClassVar[str] = "multi_select"
    many: ClassVar[bool] = True
    cell_hint: ClassVar[str] = gettext_noop("One or more answers, separated by semicolons.")
    bounds_type: ClassVar[type[Bounds]] = ChoiceBounds
    field_type: Literal["multi_select"] = "multi_select"

    @cached_property
    def effective_exclusive_options(self) -> frozenset[str]:
        """The options of which one goes with no other."""
        return frozenset(self.exclusive_options).intersection(self.options)

    @property
    def is_declaration(self) -> bool:
        return len(self.options) == 1

    def resolve_exclusive(self, raw: Any, before: Any) -> Any:
        if not isinstance(raw, list) or len(raw) < 2 or self.effective_exclusive_options.isdisjoint(raw):
            return raw
        new = [option for option in raw if option not in (before if isinstance(before, list) else [])]
        alone = [option for option in new if option in self.effective_exclusive_options]
        if len(new) == 1 and alone:
            return alone
        # Where all of it is new nobody can tell what is meant, and it is refused.
        return (
            [option for option in raw if option not in self.effective_exclusive_options] if new and not alone else raw
        )

    def _parse(self, raw: Any) -> tuple[str, ...] | None:
        chosen = set(map(self._parse_option, parsing.members(raw, label=self.label)))
        if len(chosen) > 1 and self.exclusive_options and (alone := sorted(chosen & self.effective_exclusive_options)):
            words = gettext(
                "Untick “{option}” or the other answers to “{label}”",
                option=self._option_label(alone[0]),
                label=self.label,
            )
            raise AnswerError("not_an_option", words)
        return tuple([option for option in self._distinct_options if option in chosen]) or None

    def display(self, value: Any) -> str:
        return ", ".join(self._option_label(option) for option in self._sorted_options if option in value)

    @property
    def missing_message(self) -> str:
        return gettext("Tick “{label}”", label=self.label) if self.is_declaration else super().missing_message


class BooleanField(FieldSpec):
    """Yes or no; unanswered is a third state that equals neither. Example: true (supplement, "Values")."""

    template: ClassVar[str] = "boolean"
    missing_text: ClassVar[str] = gettext_noop("Answer “{label}”")
    field_type: Literal["boolean"] = "boolean"

    def _parse(self, raw: Any) -> bool:
        if raw is True or raw == "true":
            return True
        if raw is False or raw == "false":
            return False
        raise AnswerError("not_a_boolean", gettext("Answer “{label}” with yes or no", label=self.label))

    def from_cells(self, texts: Mapping[str, str]) -> Raw:
        return spreadsheet.choice_value(texts.get("", ""), spreadsheet.yes_and_no())

    def display(self, value: Any) -> str:
        return gettext("Yes") if value else gettext("No")

    def choices(self) -> tuple[Choice, ...]:
        return (Choice("true", gettext("Yes")), Choice("false", gettext("No")))


class NationalityField(_ListField):
    """One nationality or several, as ISO 3166-1 alpha-2 codes. Example: ["NO", "NL"] (interface)."""

    template: ClassVar[str] = "nationality"
    many: ClassVar[bool] = True
    cell_hint: ClassVar[str] = gettext_noop("One or more countries, separated by semicolons.")
    field_type: Literal["nationality"] = "nationality"

    def _parse(self, raw: Any) -> tuple[str, ...] | None:
        codes = parsing.members(raw, label=self.label)
        if not all(isinstance(code, str) and is_country(code) for code in codes):
            raise AnswerError("not_a_country", gettext("Choose “{label}” from the list of countries", label=self.label))
        return tuple(dict.fromkeys(codes)) or None

    def display(self, value: Any) -> str:
        return ", ".join(country_name(code) for code in value)

    def choices(self) -> tuple[Choice, ...]:
        return tuple(Choice(code, country_name(code)) for code in by_country_name(COUNTRIES))

    @property
    def listing(self) -> str:
        return "countries"


class ShareClassRefField(FieldSpec):
    """A share class of the same entity, by its id. Example: "sc_8f3a" (supplement, "Values")."""

    template: ClassVar[str] = "share_class_ref"
    missing_text: ClassVar[str] = gettext_noop("Choose “{label}”")
    refers_to_share_class: ClassVar[bool] = True
    cell_hint: ClassVar[str] = gettext_noop("The name of the share class, as in this application.")
    field_type: Literal["share_class_ref"] = "share_class_ref"
