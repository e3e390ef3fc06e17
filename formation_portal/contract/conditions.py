"""The condition of a rule: the field that it names, and when it holds (INTERFACE.md, "Rules")."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from .fields.parsing import text_or_none
from .fields.values import equals, includes_any, members_of

INCLUDES_ANY = "includes_any"


class Condition(BaseModel):
    """`{field, value}`, or `{field, operator: includes_any, value: [...]}`.

    A condition that names no field or an unknown operator never holds; the schema check reports it.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    field: str = ""
    operator: str | None = None
    value: Any = None

    @model_validator(mode="before")
    @classmethod
    def _read_leniently(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return {}
        operator = data.get("operator")
        return {
            "field": text_or_none(data.get("field")) or "",
            "operator": None if operator is None else str(operator),
            "value": data.get("value"),
        }

    @property
    def has_known_operator(self) -> bool:
        """Tell whether the operator is `includes_any` or `equals`, which may be left out."""
        return self.operator in (None, "equals", INCLUDES_ANY)

    def holds(self, value: Any) -> bool:
        """Tell whether the answer satisfies the rule; a missing answer never does."""
        if value is None or not self.has_known_operator:
            return False
        if self.operator == INCLUDES_ANY:
            return includes_any(value, self.value)
        return equals(value, self.value)

    def named_values(self) -> tuple[Any, ...]:
        """Return the values of includes_any, or the only value of an equality."""
        if self.operator == INCLUDES_ANY:
            return tuple(members_of(self.value))
        return (self.value,)


class ConditionalMinimum(BaseModel):
    """`{field, value | value_in, minimum}`: a minimum that applies while the answer is among the values."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    field: str = ""
    values: tuple[Any, ...] = ()
    minimum: Any = Field(default=0)

    @model_validator(mode="before")
    @classmethod
    def _read_leniently(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return {}
        return {
            "field": text_or_none(data.get("field")) or "",
            "values": tuple(members_of(data["value_in"])) if "value_in" in data else (data.get("value"),),
            "minimum": data.get("minimum", 0),
        }

    def holds(self, value: Any) -> bool:
        return value is not None and any(equals(value, rule_value) for rule_value in self.values)


def count_of(minimum: Any) -> int | None:
    """Return the minimum if it is a count (a whole number, zero or more), else None."""
    return minimum if isinstance(minimum, int) and not isinstance(minimum, bool) and minimum >= 0 else None
