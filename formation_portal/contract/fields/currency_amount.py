"""The type of amounts of money."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar

from ..conditions import count_of
from ..localisation import gettext, gettext_noop
from . import parsing
from .base import Choice, FieldSpec
from .bounds import UNIT_PRICE_DECIMALS, Bounds, Days, Objection, read_number
from .cleaning import clean_line
from .iso_codes import CURRENCIES_IN_USE, currency_name, currency_signs, format_money, is_currency, minor_units
from .values import AnswerError, Money, PostData, Raw, decimals_of

# So many digits after a mark may be decimals or thousands.
_THOUSANDS_DECIMALS = 3
# The dash that stands for no cents, as in 20'000.- or 500,--.
_NO_CENTS = re.compile(r"(?<=\d)([.,])(-{1,2}|[–—])$")


@dataclass(frozen=True, slots=True)
class AmountBounds(Bounds):
    """Inclusive bounds of an amount of money, by currency. A currency not named has no bounds."""

    members: ClassVar[tuple[str, ...]] = ("minimum", "maximum", "decimals")

    minimum: tuple[tuple[str, Decimal], ...] = ()
    maximum: tuple[tuple[str, Decimal], ...] = ()

    @classmethod
    def _read_member(cls, member: str, value: Any, currencies: tuple[str, ...]) -> Any:
        if member == "decimals":
            count = count_of(value)
            return count if count is not None and count <= parsing.DIGITS_LIMIT else None
        if not isinstance(value, Mapping):
            value = dict.fromkeys(currencies, value) if len(currencies) == 1 else {}
        amounts = {currency: read_number(amount) for currency, amount in value.items()}
        is_readable = all(is_currency(currency) and amount is not None for currency, amount in amounts.items())
        return tuple(amounts.items()) if amounts and is_readable else None

    @classmethod
    def _are_crossed(cls, least: Any, most: Any) -> bool:
        highest = dict(most)
        return any(amount > highest.get(currency, amount) for currency, amount in least)

    @classmethod
    def _defaults(cls, property_name: str) -> dict[str, Any]:
        return {"decimals": UNIT_PRICE_DECIMALS} if property_name == "par_value" else {}

    def _objections(self, value: Money, spec: FieldSpec, days: Days | None) -> Iterator[Objection]:
        minimum = dict(self.minimum).get(value.currency)
        maximum = dict(self.maximum).get(value.currency)
        yield from self._range_objections(value.amount, spec, minimum, maximum, value.currency)


class CurrencyAmountField(FieldSpec):
    """An amount with its currency. A schema may allow some currencies, or only one."""

    type_name: ClassVar[str] = "currency_amount"
    payload_hint: ClassVar[str] = "an object with amount and currency, like 10000 and USD"
    parts: ClassVar[Mapping[str, str]] = {"amount": gettext_noop("Amount"), "currency": gettext_noop("Currency")}
    chosen_parts: ClassVar[frozenset[str]] = frozenset({"currency"})
    wrong_part: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("not_a_number", "negative", "too_many_digits", "ambiguous", "too_precise"), "amount"),
        **dict.fromkeys(("currency_missing", "currency_not_allowed"), "currency"),
    }
    bounds_type: ClassVar[type[Bounds]] = AmountBounds
    listing: ClassVar[str] = "currencies"

    @property
    def fixed_currency(self) -> str:
        """Return the only allowed currency, or "" if there is a choice."""
        return self.allowed_currencies[0] if len(self.allowed_currencies) == 1 else ""

    def _decimals(self, currency: str) -> int:
        """Return how many decimals an amount may have."""
        if self.bounds.decimals is not None:
            return self.bounds.decimals
        return minor_units(currency)

    def normalised(self, text: str, part: str = "") -> str:
        return parsing.normalised_number(text) if part == "amount" else text.strip().upper()

    def from_post(self, post: PostData, control: str) -> Raw | None:
        typed = super().from_post(post, control)
        if isinstance(typed, dict) and (amount := self._amount_beside_currency(typed)):
            typed["amount"] = self.normalised(amount, "amount")
        return typed

    def localised(self, raw: Any) -> Any:
        if not isinstance(raw, Mapping) or not isinstance(raw.get("amount"), str):
            return raw
        return {**raw, "amount": parsing.localised_number(raw["amount"])}

    def ambiguity_note(self, raw: Any) -> str:
        typed = parsing.mapping_or_empty(raw)
        currency = str(typed.get("currency") or self.fixed_currency)
        # An amount with three decimals is refused if the currency has fewer.
        if not is_currency(currency) or self._decimals(currency) < _THOUSANDS_DECIMALS:
            return ""
        return parsing.ambiguity_note(typed.get("amount"))

    def clean(self, raw: Any) -> Money | None:
        # A currency alone is no answer: the control may have preselected it.
        if isinstance(raw, dict) and parsing.is_blank(raw.get("amount")):
            return None
        return super().clean(raw)

    def valid_answer(self) -> dict[str, Any]:
        return {"amount": 1, "currency": next(iter(self.allowed_currencies), "EUR")}

    def valid_answers(self) -> tuple[Any, ...]:
        return tuple(
            {"amount": amount, "currency": currency}
            for amount in (1, 100, 12_000, 40_000, 150_000, 2_000_000)
            for currency in self.allowed_currencies or ("EUR", "USD")
        )

    def _parse(self, raw: Any) -> Money:
        label = self.label
        if not isinstance(raw, dict) or not raw.keys() <= {"amount", "currency"}:
            raise AnswerError("not_an_amount", gettext("Enter “{label}” as an amount with its currency", label=label))
        typed = self._amount_beside_currency(raw) or raw.get("amount")
        amount = parsing.decimal(typed, label=label)
        if amount < 0:
            raise AnswerError("negative", gettext("Enter “{label}” as zero or more", label=label))
        currency = raw.get("currency") or self.fixed_currency
        if not isinstance(currency, str) or not is_currency(currency):
            raise AnswerError("currency_missing", gettext("Choose the currency of “{label}”", label=label))
        if self.allowed_currencies and currency not in self.allowed_currencies:
            allowed = ", ".join(self.allowed_currencies)
            message = gettext("Choose the currency of “{label}” from {currencies}", label=label, currencies=allowed)
            raise AnswerError("currency_not_allowed", message)
        self._check_decimals(typed, amount, currency)
        return Money(amount=amount, currency=currency)

    def _check_decimals(self, typed: Any, amount: Decimal, currency: str) -> None:
        """Raise AnswerError for too many decimals, or for three that may be meant as thousands."""
        places = self._decimals(currency)
        # Three digits after a point, even zeros, are thousands to some people.
        is_text = isinstance(typed, str) and places < _THOUSANDS_DECIMALS
        if is_text and parsing.POINT_AND_THREE.fullmatch(parsing.without_group_marks(typed)):
            message = gettext("Enter “{label}” in digits only, like 10000, or with fewer decimals", label=self.label)
            raise AnswerError("ambiguous", message)
        if decimals_of(amount) > places:
            values = {"label": self.label, "places": places, "currency": currency}
            message = gettext("Enter “{label}” with at most {places} decimals in {currency}", **values)
            raise AnswerError("too_precise", message)

    @property
    def cell_parts(self) -> tuple[str, ...]:
        return ("amount",) if self.fixed_currency else tuple(self.parts)

    def cell_choices(self, part: str = "") -> tuple[Choice, ...]:
        if part != "currency":
            return ()
        return tuple(Choice(choice.value, choice.value) for choice in self.choices())

    def from_cells(self, texts: Mapping[str, str]) -> Raw:
        filled = super().from_cells(texts)
        if not isinstance(filled, dict) or not filled:
            return filled
        if self.fixed_currency:
            filled["currency"] = self.fixed_currency
        if "amount" in filled:
            filled["amount"] = parsing.draft_number(self._amount_beside_currency(filled) or filled["amount"])
        return filled

    def _amount_beside_currency(self, raw: Mapping[str, Any]) -> str:
        """Return the number beside the chosen currency, as in CHF 20'000.-; "" if the amount is not written so."""
        typed = raw.get("amount")
        currency = raw.get("currency") or self.fixed_currency
        if not isinstance(typed, str) or not isinstance(currency, str) or parsing.is_number(typed):
            return ""
        amount = clean_line(typed)
        for sign in currency_signs(currency):
            if amount[: len(sign)].casefold() == sign.casefold():
                amount = amount[len(sign) :].strip()
            elif amount[-len(sign) :].casefold() == sign.casefold():
                amount = amount[: -len(sign)].strip()
        amount = _NO_CENTS.sub(r"\g<1>00", amount)
        return amount if parsing.is_number(amount) else ""

    def payload(self, value: Any) -> dict[str, Any]:
        amount: int | float = float(value.amount)
        if value.amount == value.amount.to_integral_value():
            amount = int(value.amount)
        return {"amount": amount, "currency": value.currency}

    def display(self, value: Any) -> str:
        return format_money(value.amount, value.currency)

    def choices(self) -> tuple[Choice, ...]:
        offered = self.allowed_currencies or CURRENCIES_IN_USE
        return tuple(Choice(code, f"{code} – {currency_name(code)}") for code in offered)

    def codes_of(self, value: Any) -> tuple[str, ...]:
        return (value.currency,)
