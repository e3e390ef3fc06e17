"""The type of numbers."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar

from ..localisation import format_number, gettext, gettext_noop
from . import parsing
from .base import FieldSpec
from .bounds import UNIT_PRICE_DECIMALS, Bounds, Days, Objection, is_percentage, read_number
from .cleaning import clean_line
from .values import AnswerError, Raw, decimals_of


@dataclass(frozen=True, slots=True)
class NumberBounds(Bounds):
    members: ClassVar[tuple[str, ...]] = ("minimum", "maximum", "integer")

    minimum: Decimal | None = None
    maximum: Decimal | None = None
    integer: bool = False

    @classmethod
    def _read_member(cls, member: str, value: Any, currencies: tuple[str, ...]) -> Any:
        if member != "integer":
            return read_number(value)
        return value if isinstance(value, bool) else None

    @classmethod
    def _defaults(cls, property_name: str) -> dict[str, Any]:
        if property_name in ("number_of_shares", "shares_held", "maximum_shares"):
            return {"minimum": Decimal(1), "integer": True}
        if is_percentage(property_name):
            return {"minimum": Decimal(0), "maximum": Decimal(100)}
        if property_name == "par_value":
            return {"minimum": Decimal(0), "decimals": UNIT_PRICE_DECIMALS}
        return {}

    def _objections(self, value: Any, spec: FieldSpec, days: Days | None) -> Iterator[Objection]:
        number = Decimal(value)
        if self.integer and number % 1:
            yield Objection("not_whole", gettext("“{label}” must be a whole number", label=spec.label))
        yield from self._range_objections(number, spec, self.minimum, self.maximum)


class NumberField(FieldSpec):
    """A number of at most 15 digits, so that JSON carries it exactly."""

    type_name: ClassVar[str] = "number"
    example: ClassVar[Any] = 1
    payload_hint: ClassVar[str] = "a number, like 10000"
    further_examples: ClassVar[tuple[Any, ...]] = (0, 2, 3, 10, 25, 50, 100, 5000, 20_000, 1_000_000)
    cell_hint: ClassVar[str] = gettext_noop("A number in digits, like 10000 or 12.5.")
    is_number: ClassVar[bool] = True
    bounds_type: ClassVar[type[Bounds]] = NumberBounds

    def normalised(self, text: str, part: str = "") -> str:
        return parsing.normalised_number(self._without_percent_sign(text))

    def localised(self, raw: Any) -> Any:
        return parsing.localised_number(raw) if isinstance(raw, str) else raw

    def ambiguity_note(self, raw: Any) -> str:
        return parsing.ambiguity_note(raw)

    def _parse(self, raw: Any) -> int | Decimal:
        if isinstance(raw, str):
            raw = self._without_percent_sign(raw)
        number = parsing.number(raw, label=self.label)
        limit = self.bounds.decimals
        if limit is not None and decimals_of(number) > limit:
            message = gettext("Enter “{label}” with at most {places} decimals", label=self.label, places=limit)
            raise AnswerError("too_precise", message)
        return number

    def from_cells(self, texts: Mapping[str, str]) -> Raw:
        # A spreadsheet may show a quarter as 25%.
        return parsing.draft_number(self._without_percent_sign(clean_line(texts.get("", ""))))

    def _without_percent_sign(self, text: str) -> str:
        # Whole numbers count things like shares, of which 25% is another number.
        is_count = isinstance(self.bounds, NumberBounds) and self.bounds.integer
        return text if is_count else parsing.without_percent_sign(text)

    def payload(self, value: Any) -> int | float:
        return value if isinstance(value, int) else float(value)

    def display(self, value: Any) -> str:
        return format_number(value)
