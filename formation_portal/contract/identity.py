"""Who somebody is, by the canonical answers that tell: registration number and country, or name and date of birth."""

import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

from . import canonical
from .field import FieldSpec

Identity = tuple[str, str, str]

# What tells two of one name apart, or speaks for one and the same.
_TELLING = ("date_of_birth", "registration_number", "country", "email")


def properties(fields: Iterable[FieldSpec], values: Mapping[str, Any]) -> dict[str, Any]:
    """The canonical ones among answers, by property. A field without a canonical name tells nothing."""
    return {
        canonical.property_of(spec.canonical_field): values[spec.name]
        for spec in fields
        if spec.canonical_field and spec.name in values
    }


def identity(kind: str, known: Mapping[str, Any]) -> Identity | None:
    """Equal for two entries of one person or company; None where the properties tell too little."""
    number, country = known.get("registration_number"), known.get("country")
    if number and country:
        return (kind, "".join(filter(str.isalnum, _folded(number))), str(country))
    name, born = folded_name(known), known.get("date_of_birth")
    return (kind, name, str(born)) if name and born else None


def may_be_one(kind: str, one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two of one name may well be one: who they are is the same, or nothing that is known speaks against it."""
    first, second = identity(kind, one), identity(kind, other)
    if first and second:
        return first == second
    return all(one[part] == other[part] for part in _TELLING if one.get(part) and other.get(part))


def folded_name(known: Mapping[str, Any]) -> str:
    """What somebody is called, the same for any spelling of capitals and spaces; empty without a name."""
    return _folded(canonical.label_of(dict(known)))


def _folded(text: Any) -> str:
    return " ".join(unicodedata.normalize("NFKC", str(text)).casefold().split())
