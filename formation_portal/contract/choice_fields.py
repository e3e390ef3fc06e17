"""The field types whose answer is chosen: from options, yes and no, countries, share classes (interface, "Field")."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar, Literal

from . import cells, reading
from .field import Choice, FieldSpec
from .language import noted, say
from .problems import AnswerError
from .values import Raw
from .world import COUNTRIES, by_country_name, by_currency_name, country_name, currency_name, is_country, is_currency

# A list of so many currencies is read from its beginning, where a schema has those that are likely.
_LOOKED_THROUGH = 12


class _OptionField(FieldSpec):
    """What select and multi_select share: options are words, or codes of countries or currencies."""

    asking: ClassVar[str] = noted("Choose “{label}”")
    needs_options: ClassVar[bool] = True

    def choices(self) -> tuple[Choice, ...]:
        return tuple(Choice(option, self._words(option)) for option in self._in_order)

    @property
    def _in_order(self) -> tuple[str, ...]:
        """The options as people look for them: countries and many currencies A to Z, else as the schema has them."""
        if self._lists_currencies and len(self.options) > _LOOKED_THROUGH:
            return by_currency_name(self.options)
        return by_country_name(self.options) if self.lists_countries else self.options

    @property
    def listing(self) -> str:
        return "countries" if self.lists_countries else "currencies" if self._lists_currencies else ""

    # Asked for each option of a long list, so it is worked out once.
    @cached_property
    def lists_countries(self) -> bool:
        """Whether every option is a country code; such a list is drawn as names."""
        return bool(self.options) and all(map(is_country, self.options))

    @cached_property
    def _lists_currencies(self) -> bool:
        return bool(self.options) and all(map(is_currency, self.options))

    @property
    def has_own_words(self) -> bool:
        return bool(self.options) and not self.lists_countries and not self._lists_currencies

    def _words(self, option: str) -> str:
        if self.lists_countries:
            return country_name(option)
        if self._lists_currencies:
            return f"{currency_name(option)} ({option})"
        return option

    def _one(self, raw: Any) -> str:
        if raw not in self.options:
            raise AnswerError("not_an_option", say("Choose one of the options for “{label}”", label=self.label))
        return str(raw)


class SelectField(_OptionField):
    """One of the options. Example: "Perpetual" of ["Perpetual", "Fixed term"] (interface, "Field")."""

    template: ClassVar[str] = "select"
    field_type: Literal["select"] = "select"

    def _read(self, raw: Any) -> str:
        return self._one(raw)

    def from_cells(self, texts: Mapping[str, str]) -> Raw:
        return cells.chosen(texts.get("", ""), cells.countries() if self.lists_countries else self.cell_words)

    def display(self, value: Any) -> str:
        return self._words(value)


class MultiSelectField(_OptionField):
    """Any of the options, each once. Example: ["E-commerce", "Consulting"]. With a single option it is one tick box,
    for declarations (supplement, "Values")."""

    template: ClassVar[str] = "multi_select"
    many: ClassVar[bool] = True
    cell_hint: ClassVar[str] = noted("One or more answers, separated by semicolons.")
    field_type: Literal["multi_select"] = "multi_select"

    @property
    def excluding(self) -> frozenset[str]:
        """The options of which one goes with no other."""
        return frozenset(self.exclusive_options).intersection(self.options)

    def newest(self, raw: Any, before: Any) -> Any:
        if not isinstance(raw, list) or len(raw) < 2 or self.excluding.isdisjoint(raw):
            return raw
        new = [option for option in raw if option not in (before if isinstance(before, list) else [])]
        alone = [option for option in new if option in self.excluding]
        if len(new) == 1 and alone:
            return alone
        # Where all of it is new nobody can tell what is meant, and it is refused.
        return [option for option in raw if option not in self.excluding] if new and not alone else raw

    def _read(self, raw: Any) -> tuple[str, ...] | None:
        chosen = {self._one(one) for one in reading.members(raw, label=self.label)}
        if len(chosen) > 1 and (alone := sorted(chosen & self.excluding)):
            words = say("Untick “{option}” or the other answers to “{label}”", option=alone[0], label=self.label)
            raise AnswerError("not_an_option", words)
        return tuple(option for option in dict.fromkeys(self.options) if option in chosen) or None

    def from_cells(self, texts: Mapping[str, str]) -> Raw:
        return cells.several(texts.get("", ""), cells.countries() if self.lists_countries else self.cell_words)

    def payload(self, value: Any) -> list[str]:
        return list(value)

    def display(self, value: Any) -> str:
        return ", ".join(self._words(option) for option in self._in_order if option in value)

    @property
    def ask(self) -> str:
        return say("Tick “{label}”", label=self.label) if len(self.options) == 1 else super().ask


class BooleanField(FieldSpec):
    """Yes or no; unanswered is a third state that equals neither. Example: true (supplement, "Values")."""

    template: ClassVar[str] = "boolean"
    asking: ClassVar[str] = noted("Answer “{label}”")
    field_type: Literal["boolean"] = "boolean"

    def _read(self, raw: Any) -> bool:
        if raw is True or raw == "true":
            return True
        if raw is False or raw == "false":
            return False
        raise AnswerError("not_a_boolean", say("Answer “{label}” with yes or no", label=self.label))

    def from_cells(self, texts: Mapping[str, str]) -> Raw:
        return cells.chosen(texts.get("", ""), cells.yes_and_no())

    def display(self, value: Any) -> str:
        return say("Yes") if value else say("No")

    def choices(self) -> tuple[Choice, ...]:
        return (Choice("true", say("Yes")), Choice("false", say("No")))


class NationalityField(FieldSpec):
    """One nationality or several, as ISO 3166-1 alpha-2 codes. Example: ["NO", "NL"] (interface)."""

    template: ClassVar[str] = "nationality"
    many: ClassVar[bool] = True
    asking: ClassVar[str] = noted("Choose “{label}”")
    cell_hint: ClassVar[str] = noted("One or more countries, separated by semicolons.")
    field_type: Literal["nationality"] = "nationality"

    def _read(self, raw: Any) -> tuple[str, ...] | None:
        codes = reading.members(raw, label=self.label)
        if not all(isinstance(code, str) and is_country(code) for code in codes):
            raise AnswerError("not_a_country", say("Choose “{label}” from the list of countries", label=self.label))
        return tuple(dict.fromkeys(codes)) or None

    def from_cells(self, texts: Mapping[str, str]) -> Raw:
        return cells.several(texts.get("", ""), cells.countries())

    def payload(self, value: Any) -> list[str]:
        return list(value)

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
    asking: ClassVar[str] = noted("Choose “{label}”")
    refers_to_share_class: ClassVar[bool] = True
    cell_hint: ClassVar[str] = noted("The name of the share class, as in this application.")
    field_type: Literal["share_class_ref"] = "share_class_ref"
