"""Which controls of an answer with several parts a problem lies in, so that only what is wrong is marked as wrong."""

from collections.abc import Mapping, Sequence
from typing import Any

from .reading import is_blank

# By the problem's code (contract/reading.py, contract/compound_fields.py).
_LIES_IN: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("not_a_number", "negative", "too_many_digits", "ambiguous", "too_precise"), frozenset({"amount"})),
    **dict.fromkeys(("currency_missing", "currency_not_allowed"), frozenset({"currency"})),
    "not_a_year": frozenset({"year"}),
    "not_a_country": frozenset({"country"}),
}
# What must be there of an answer that has more than is needed.
_NEEDED: Mapping[str, frozenset[str]] = {
    "incomplete_date": frozenset({"day", "month", "year"}),
    "incomplete_address": frozenset({"street1", "city", "country"}),
}


def wrong_parts(parts: Sequence[str], code: str, raw: Any) -> tuple[str, ...]:
    """Those of the parts that the problem lies in; all of them where its code doesn't tell."""
    typed = raw if isinstance(raw, Mapping) else {}
    missing = {part for part in _NEEDED.get(code, frozenset()) if is_blank(typed.get(part))}
    meant = missing or _LIES_IN.get(code, frozenset())
    return tuple(part for part in parts if part in meant) or tuple(parts)
