"""Every field type as INTERFACE.md has it, in one place for all tests. Nothing here is computed by the types' own code.

A new type gets its member in FIELD_TYPES; the tests of all types, the other service, the readers of what was typed and
the campaigns take it from there.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from dataclasses import field as data_field
from datetime import date
from decimal import Decimal
from typing import Any, Protocol

from hypothesis import strategies as st

from formation_portal.contract.fields.cleaning import clean_line
from formation_portal.contract.fields.iso_codes import COUNTRIES, CURRENCIES, minor_units

Json = dict[str, Any]

# Control characters and the mark for a broken character are refused; other invisible ones are removed.
_allowed = st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\ufffd")
words = st.text(_allowed, min_size=1, max_size=12).filter(lambda text: bool(clean_line(text)))
_options = st.lists(words, min_size=1, max_size=5, unique=True)
_countries = st.sampled_from(COUNTRIES)
_currencies = st.sampled_from(sorted(CURRENCIES))
_numbers = st.integers(min_value=-(10**14), max_value=10**14) | st.decimals(
    min_value=-(10**6), max_value=10**6, places=4, allow_nan=False
).map(float)
_addresses = st.fixed_dictionaries(
    {"street1": words, "city": words, "country": _countries}, optional={"street2": words, "postcode": words}
)
_phones = st.sampled_from(
    ["+41 41 728 80 00", "+1 212-555-0123", "+44 20 7946 0123", "+390612345678", "+852 2345 6789"]
)

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_COUNTRY = re.compile(r"[A-Z]{2}")
_CURRENCY = re.compile(r"[A-Z]{3}")
_E164 = re.compile(r"\+[1-9]\d{6,14}")


class Typed(Protocol):
    """What was typed into a control, or chosen there by its words."""

    values: Any
    chosen: Any


@dataclass(frozen=True, kw_only=True)
class FieldType:
    # Pairs of a field and a raw answer that fits it.
    fitting: st.SearchStrategy[tuple[Json, Any]]
    # An answer as a draft keeps it, as JSON of the interface, and as an English page shows it.
    typed: Any
    sent: Any
    shown: str
    # What the schema says of a field with this answer.
    members: Json = data_field(default_factory=dict)
    # Any text is an answer.
    is_text: bool = False
    # Tell whether a strict service takes the value as an answer to the field.
    accepts: Callable[[Json, Any], bool]
    # Read what was typed (the last text of each part) as JSON, with the field and all that was typed by part.
    read: Callable[[Json, dict[str, str], Mapping[str, Typed]], Any] = lambda field, texts, typed: texts[""]
    # A product of the embedded catalog asks for it.
    is_in_catalog: bool = True

    def answer(self, text: str) -> Any:
        """Return an answer as a draft keeps it: the text itself where any text will do."""
        return text if self.is_text else self.typed


def _fields(field_type: str, answers: st.SearchStrategy[Any], **members: Any) -> st.SearchStrategy[tuple[Json, Any]]:
    spec = {"key": "k", "label": "A question", "field_type": field_type, **members}
    return st.tuples(st.just(spec), answers)


def _amounts(allowed: list[str]) -> st.SearchStrategy[Json]:
    """Amounts in one of the currencies, with no more places than it has."""

    def of(currency: str) -> st.SearchStrategy[Json]:
        places = minor_units(currency)
        whole = st.integers(min_value=0, max_value=10**8)
        return whole.map(lambda units: {"amount": units / 10**places if places else units, "currency": currency})

    return st.sampled_from(allowed).flatmap(of)


def _is_line(field: Json, value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 500


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_choice(field: Json, value: Any) -> bool:
    return isinstance(value, list) and 0 < len(value) == len(set(value)) and set(value) <= set(field["options"])


def _is_address(field: Json, value: Any) -> bool:
    parts = {"street1", "street2", "city", "region", "postcode", "country"}
    if not isinstance(value, dict) or not set(value) <= parts:
        return False
    texts = all(isinstance(part, str) and part for part in value.values())
    return texts and {"street1", "city", "country"} <= set(value) and bool(_COUNTRY.fullmatch(value["country"]))


def _is_amount(field: Json, value: Any) -> bool:
    if not isinstance(value, dict) or set(value) != {"amount", "currency"}:
        return False
    amount, currency = value["amount"], value["currency"]
    if not _is_number(amount) or amount < 0 or not _CURRENCY.fullmatch(currency):
        return False
    return currency in (field.get("allowed_currencies") or [currency])


def _are_countries(field: Json, value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(_COUNTRY.fullmatch(code) for code in value)


def _read_members(field: Json, texts: dict[str, str], typed: Mapping[str, Typed]) -> list[str]:
    return sorted(set(typed[""].values))


def _read_date(field: Json, texts: dict[str, str], typed: Mapping[str, Typed]) -> str:
    month = texts["month"]
    number = _MONTHS.index(month[:3].lower()) + 1 if month.isalpha() else int(month)
    return f"{int(texts['year']):04}-{number:02}-{int(texts['day']):02}"


def _read_amount(field: Json, texts: dict[str, str], typed: Mapping[str, Typed]) -> Json:
    return {"amount": Decimal(texts["amount"]), "currency": texts.get("currency") or field["allowed_currencies"][0]}


FIELD_TYPES: dict[str, FieldType] = {
    "text": FieldType(
        fitting=_fields("text", words),
        typed=" Larkfield  & Søn ",
        sent="Larkfield & Søn",
        shown="Larkfield & Søn",
        is_text=True,
        accepts=_is_line,
    ),
    "textarea": FieldType(
        fitting=_fields("textarea", st.lists(words, min_size=1).map("\n".join)),
        typed="Trade in goods,\r\nof two kinds",
        sent="Trade in goods,\nof two kinds",
        shown="Trade in goods,\nof two kinds",
        is_text=True,
        accepts=lambda field, value: isinstance(value, str) and 0 < len(value) <= 10_000,
    ),
    "select": FieldType(
        fitting=_options.flatmap(lambda options: _fields("select", st.sampled_from(options), options=options)),
        typed="Trading",
        sent="Trading",
        shown="Trading",
        members={"options": ["Holding", "Trading"]},
        accepts=lambda field, value: value in field["options"],
    ),
    "multi_select": FieldType(
        fitting=_options.flatmap(
            lambda options: _fields("multi_select", st.lists(st.sampled_from(options), min_size=1), options=options)
        ),
        typed=["Trading", "Holding"],
        sent=["Holding", "Trading"],
        shown="Holding, Trading",
        members={"options": ["Holding", "Leasing", "Trading"]},
        accepts=_is_choice,
        read=_read_members,
    ),
    "boolean": FieldType(
        fitting=_fields("boolean", st.sampled_from(["true", "false", True, False])),
        typed="false",
        sent=False,
        shown="No",
        accepts=lambda field, value: isinstance(value, bool),
        read=lambda field, texts, typed: {"Yes": True, "No": False}[typed[""].chosen[-1]],
    ),
    "date": FieldType(
        fitting=_fields(
            "date",
            st.dates(min_value=date(1000, 1, 1)).map(
                lambda day: {"day": str(day.day), "month": f"{day:%B}", "year": str(day.year)}
            ),
        ),
        typed={"day": "9", "month": "March", "year": "1984"},
        sent="1984-03-09",
        shown="9 March 1984",
        accepts=lambda field, value: isinstance(value, str) and date.fromisoformat(value).isoformat() == value,
        read=_read_date,
    ),
    "number": FieldType(
        fitting=_fields("number", _numbers | _numbers.map(str).filter(lambda text: "e" not in text)),
        typed="24",
        sent=24,
        shown="24",
        accepts=lambda field, value: _is_number(value),
        read=lambda field, texts, typed: Decimal(texts[""]),
    ),
    "address": FieldType(
        fitting=_fields("address", _addresses),
        typed={"street1": "Storgata 12", "city": "Tromsø", "country": "NO", "postcode": "9008"},
        sent={"street1": "Storgata 12", "city": "Tromsø", "postcode": "9008", "country": "NO"},
        shown="Storgata 12, 9008 Tromsø, Norway",
        accepts=_is_address,
        read=lambda field, texts, typed: texts,
    ),
    "phone": FieldType(
        fitting=_fields("phone", _phones),
        typed="+44 (20) 7946-0123",
        sent="+442079460123",
        shown="+44 20 7946 0123",
        accepts=lambda field, value: isinstance(value, str) and bool(_E164.fullmatch(value)),
        read=lambda field, texts, typed: "+" + "".join(letter for letter in texts[""] if letter.isdigit()),
    ),
    "nationality": FieldType(
        fitting=_fields("nationality", st.lists(_countries, min_size=1, max_size=3)),
        typed=["NO", "NL"],
        sent=["NO", "NL"],
        shown="Norway, Netherlands",
        accepts=_are_countries,
        read=_read_members,
    ),
    "share_class_ref": FieldType(
        fitting=_fields("share_class_ref", words),
        typed="sc_8f3a",
        sent="sc_8f3a",
        shown="sc_8f3a",
        accepts=lambda field, value: isinstance(value, str) and value.startswith("sc_"),
    ),
    "currency_amount": FieldType(
        fitting=st.lists(_currencies, min_size=1, max_size=3, unique=True).flatmap(
            lambda codes: _fields("currency_amount", _amounts(codes), allowed_currencies=codes)
        ),
        typed={"amount": "50,000", "currency": "USD"},
        sent={"amount": 50000, "currency": "USD"},
        shown="USD 50,000.00",
        accepts=_is_amount,
        read=_read_amount,
    ),
}

# A type that nobody knows is text.
UNKNOWN_TYPE = FieldType(
    fitting=_fields("unheard_of", words),
    typed="Larkfield",
    sent="Larkfield",
    shown="Larkfield",
    is_text=True,
    accepts=_is_line,
)


def field_type_of(name: str) -> FieldType:
    return FIELD_TYPES.get(name, UNKNOWN_TYPE)
