"""Parse the catalog: products in jurisdictions, each with its form schema (INTERFACE.md, "Catalog item").

The timeline of a product is free text. A range at its start, like "5-8 working days", is parsed.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from math import ceil
from typing import Any

from pydantic import Field, ValidationError, model_validator

from .fields.parsing import mapping_or_empty
from .schema import FormSchema, Model

_NAME = re.compile(r"(?P<name>[^(,]*[^(,\s])(?:\s+\((?P<form>[^()]+)\))?(?:,\s+(?P<rest>.+))?")


class Jurisdiction(Model):
    id: str = ""
    name: str = ""
    slug: str = ""
    iso_code: str = ""
    region: str = ""


class Product(Model):
    """The legal form. `type` is Corporation or Foundation."""

    id: str = ""
    name: str = ""
    slug: str = ""
    type: str = ""
    description: str = ""

    @property
    def short_name(self) -> str:
        """Return the name up to the first bracket or comma: "Association" of "Association (Verein)"."""
        return self._name_parts[0]

    @property
    def qualifier(self) -> str:
        """Return the rest of the name: "GmbH, Zug" of "Limited liability company (GmbH), Zug"."""
        return self._name_parts[1]

    @property
    def _name_parts(self) -> tuple[str, str]:
        match = _NAME.fullmatch(self.name)
        if match is None:
            return self.name, ""
        return match["name"], ", ".join(filter(None, (match["form"], match["rest"])))

    def language_of(self, text: str) -> str:
        return super().language_of(self.name if text in self._name_parts else text)


class Price(Model):
    one_off: Decimal = Decimal(0)
    annual: Decimal = Decimal(0)
    currency: str = ""

    @property
    def is_given(self) -> bool:
        """Tell whether the catalog has a price. A product without a price is not free."""
        return bool(self.currency or self.one_off or self.annual)


class CatalogItem(Model):
    """A product in a jurisdiction (INTERFACE.md, "Catalog item"). `document` is the schema as received."""

    jurisdiction_product_id: str
    jurisdiction: Jurisdiction = Field(default_factory=Jurisdiction)
    product: Product = Field(default_factory=Product)
    price: Price = Field(default_factory=Price)
    form: FormSchema = Field(alias="schema")
    estimated_timeline: str = ""
    document: dict[str, Any] = Field(default_factory=dict, repr=False)

    @model_validator(mode="before")
    @classmethod
    def _keep_the_document(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        read = {name: value for name, value in data.items() if value is not None}
        return {"schema": {}, **read, "document": read.get("schema", {})}


@dataclass(frozen=True, slots=True)
class BrokenItem:
    """A catalog item that cannot be read at all; it is shown as unavailable, with the reason."""

    name: str
    reason: str


def parse_catalog(items: Sequence[Any]) -> list[CatalogItem | BrokenItem]:
    """Parse the items of a catalog. An item that cannot be read does not affect the others."""
    return [_parse_item(item) for item in items]


def _parse_item(item: Any) -> CatalogItem | BrokenItem:
    try:
        return CatalogItem.model_validate(item)
    except ValidationError as error:
        product = mapping_or_empty(mapping_or_empty(item).get("product"))
        first = error.errors(include_input=False, include_url=False)[0]
        path = ".".join(str(step) for step in first["loc"])
        message = "It is missing" if first["type"] == "missing" else first["msg"]
        reason = f", at {path}: {message}" if path else ": it is not a product"
        return BrokenItem(
            str(product.get("name") or "A product without a name"), f"The catalog entry cannot be read{reason}"
        )


_TIMELINE = re.compile(r"\s*(\d{1,3})(?:\s*(?:-|–|to)\s*(\d{1,3}))?\s+(working days?|days?|weeks?)\b", re.IGNORECASE)
_WEEK = 7
_SATURDAY = 5


def _parse_timeline(timeline: str) -> tuple[int, int, bool] | None:
    """Return the least and most days of a timeline, and whether they are working days; None without a range."""
    match = _TIMELINE.match(timeline)
    if match is None:
        return None
    unit = match[3].lower()
    days = _WEEK if unit.startswith("week") else 1
    least = int(match[1]) * days
    most = int(match[2] or match[1]) * days
    return (least, most, unit.startswith("working")) if least <= most else None


def expected_dates(timeline: str, *, start: date) -> tuple[date, date] | None:
    """Return the first and last day on which a formation from `start` usually ends; None without a range.

    Working days leave out Saturdays and Sundays. Public holidays are not known.
    """
    span = _parse_timeline(timeline)
    if span is None:
        return None
    least, most, are_working_days = span
    if are_working_days:
        return working_days_after(start, least), working_days_after(start, most)
    return start + timedelta(days=least), start + timedelta(days=most)


def working_days(timeline: str) -> tuple[int, int] | None:
    """Return the fewest and the most working days of a timeline; None without a range. "1-2 weeks" are 5 to 10."""
    span = _parse_timeline(timeline)
    if span is None:
        return None
    least, most, are_working_days = span
    if are_working_days:
        return least, most
    return ceil(least * _SATURDAY / _WEEK), ceil(most * _SATURDAY / _WEEK)


def working_days_between(start: date, end: date) -> int:
    """Count the working days after `start`, up to and including `end`; 0 if `end` is earlier."""
    weeks, rest = divmod(max(0, (end - start).days), _WEEK)
    days = (start + timedelta(days=number) for number in range(1, rest + 1))
    return weeks * _SATURDAY + sum(day.weekday() < _SATURDAY for day in days)


def working_days_after(start: date, number: int) -> date:
    day = start
    while number:
        day += timedelta(days=1)
        number -= day.weekday() < _SATURDAY
    return day
