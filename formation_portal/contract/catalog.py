"""The catalog that arrives: products in jurisdictions, each with its form schema (interface, "Catalog item").

A product says in free words how long it takes; a plain range at their start is read as dates.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from pydantic import Field, ValidationError, model_validator

from .schema import FormSchema, Model

_NAME = re.compile(r"(?P<name>[^(,]*[^(,\s])(?:\s+\((?P<form>[^()]+)\))?(?:,\s+(?P<rest>.+))?")


class Jurisdiction(Model):
    """Where the entity is formed."""

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
        """The name without what stands in brackets or behind a comma: "Association" of "Association (Verein)"."""
        found = _NAME.fullmatch(self.name)
        return found["name"] if found else self.name

    @property
    def qualifier(self) -> str:
        """What stands there: "GmbH, Zug" of "Limited liability company (GmbH), Zug"; empty where nothing does."""
        found = _NAME.fullmatch(self.name)
        return ", ".join(part for part in (found["form"], found["rest"]) if part) if found else ""

    def language_of(self, text: str) -> str:
        is_part_of_name = text in (self.short_name, self.qualifier)
        return super().language_of(self.name if is_part_of_name else text)


class Price(Model):
    """What it costs, in one currency."""

    one_off: Decimal = Decimal(0)
    annual: Decimal = Decimal(0)
    currency: str = ""

    @property
    def is_given(self) -> bool:
        """Whether the catalog names a price at all; none is not the same as nothing to pay."""
        return bool(self.currency or self.one_off or self.annual)


class CatalogItem(Model):
    """One product in one jurisdiction (interface, "Catalog item"). `document` is the schema as it arrived."""

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
    """Every item of a catalog list; one that cannot be read doesn't take the others with it."""
    return [_parse_item(item) for item in items]


def _parse_item(item: Any) -> CatalogItem | BrokenItem:
    try:
        return CatalogItem.model_validate(item)
    except ValidationError as error:
        product = item.get("product") if isinstance(item, Mapping) else None
        name = product.get("name") if isinstance(product, Mapping) else None
        # The first thing that is wrong, and where.
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(step) for step in first["loc"])
        said = "It is missing" if first["type"] == "missing" else first["msg"]
        reason = f"The catalog entry cannot be read{f', at {where}: {said}' if where else ': it is not a product'}"
        return BrokenItem(name=str(name or "A product without a name"), reason=reason)


_TIMELINE = re.compile(r"\s*(\d{1,3})(?:\s*(?:-|–|to)\s*(\d{1,3}))?\s+(working days?|days?|weeks?)\b", re.IGNORECASE)
_WEEK = 7
_SATURDAY = 5


def expected_dates(timeline: str, *, start: date) -> tuple[date, date] | None:
    """Return the first and the last day on which it usually ends, counted from `start`; None without a range.

    "5-8 working days" leaves out Saturdays and Sundays; which other days are holidays nobody here knows.
    """
    found = _TIMELINE.match(timeline)
    if found is None:
        return None
    least, unit = int(found[1]), found[3].lower()
    most = int(found[2] or found[1])
    if most < least:
        return None
    return _date_after(start, least, unit), _date_after(start, most, unit)


def working_days(timeline: str) -> tuple[int, int] | None:
    """Return the fewest and the most working days of a timeline; None without a range. "1-2 weeks" are 5 to 10."""
    found = _TIMELINE.match(timeline)
    if found is None:
        return None
    least, most, unit = int(found[1]), int(found[2] or found[1]), found[3].lower()
    if most < least:
        return None
    if unit.startswith("working"):
        return least, most
    each = _WEEK if unit.startswith("week") else 1
    return -(-least * each * _SATURDAY // _WEEK), -(-most * each * _SATURDAY // _WEEK)


def working_days_between(start: date, end: date) -> int:
    """The working days after `start`, up to and with `end`; 0 where that is earlier."""
    weeks, rest = divmod(max(0, (end - start).days), _WEEK)
    days = (start + timedelta(days=number) for number in range(1, rest + 1))
    return weeks * _SATURDAY + sum(day.weekday() < _SATURDAY for day in days)


def _date_after(start: date, number: int, unit: str) -> date:
    if unit.startswith("working"):
        return working_days_after(start, number)
    return start + timedelta(days=number * (_WEEK if unit.startswith("week") else 1))


def working_days_after(start: date, number: int) -> date:
    """The day on which so many working days have passed since `start`."""
    day = start
    while number:
        day += timedelta(days=1)
        number -= day.weekday() < _SATURDAY
    return day
