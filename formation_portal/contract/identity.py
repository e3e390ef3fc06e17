"""Who somebody is, by the canonical answers that tell: registration number and country, or name and date of birth."""

import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

from . import canonical
from .field import FieldSpec

Identity = tuple[str, str, str]


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
    name, born = canonical.label_of(dict(known)), known.get("date_of_birth")
    return (kind, _folded(name), str(born)) if name and born else None


def is_same_name(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether both are called the same, whatever the spelling of capitals and spaces."""
    return _folded(canonical.label_of(dict(one))) == _folded(canonical.label_of(dict(other)))


def _folded(text: Any) -> str:
    return " ".join(unicodedata.normalize("NFKC", str(text)).casefold().split())
