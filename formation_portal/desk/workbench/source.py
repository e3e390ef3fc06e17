"""Read a pasted schema as our client reads the service's catalog, within limits, and find all faults."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from formation_portal.contract.catalog import CatalogItem
from formation_portal.contract.schema_check import check_schema
from formation_portal.gateway.catalog import read_products
from formation_portal.gateway.records import read_json

# Ten times the largest schema of the embedded service, and three times as deep.
MAX_BYTES = 1_000_000
MAX_DEPTH = 30
MAX_SECTIONS = 100
MAX_QUESTIONS = 2_000
MAX_SAME = 100
MAX_OPTIONS = 1_000
_MAX_FAULTS = 20
# The product id of a schema without a catalog item.
UNNAMED = "workbench"
_NAMES = ("key", "canonical_field", "csp_field_key")
_LISTS = ("fields", "person_fields", "corporate_fields", "foundation_fields")


class Unreadable(Exception):
    """Raised for a text that can't be checked. The message says why."""


@dataclass(frozen=True, slots=True)
class Source:
    """A schema as the portal reads it. `item` is None for an unreadable schema; `faults` say why."""

    name: str
    item: CatalogItem | None
    faults: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    # A schema with minor faults can still be drawn.
    can_be_drawn: bool = False


def read_source(text: str) -> Source:
    """Read a schema or a catalog item, and find all its faults. Raises Unreadable."""
    doubled: list[str] = []
    item = _item_in(_read_document(text, doubled))
    [product] = read_products([item])
    reason = (product.reason,) if product.reason else ()
    if product.item is None:
        return Source(product.name, None, tuple(_validation_faults(item)) or reason)
    report = check_schema(product.item.form)
    return Source(
        name=product.name,
        item=product.item,
        faults=tuple(fault.message for fault in report.faults) or reason,
        warnings=(*dict.fromkeys(doubled[:_MAX_FAULTS]), *(warning.message for warning in report.warnings)),
        notes=tuple(note.message for note in report.notes),
        can_be_drawn=all(fault.code == "no_id" for fault in report.faults),
    )


def _read_document(text: str, doubled: list[str]) -> Any:
    """Parse JSON as our client does. Adds a warning to `doubled` for each repeated name. Raises Unreadable."""
    if not text.strip():
        raise Unreadable("There is nothing to check. Paste a schema, upload one, or choose one from the catalog")
    if (size := len(text.encode(errors="replace"))) > MAX_BYTES:
        raise Unreadable(f"The schema has {size:,} bytes. The workbench takes up to {MAX_BYTES:,}")

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        for name, count in Counter(name for name, _ in pairs).items():
            if count > 1:
                doubled.append(f"“{name}” stands twice in one object; the last one counts")
        return dict(pairs)

    try:
        document = json.loads(text, object_pairs_hook=members, parse_constant=_refuse)
        is_too_deep = _depth(document) > MAX_DEPTH
    except json.JSONDecodeError as error:
        raise Unreadable(f"This is not JSON. Line {error.lineno}, character {error.colno}: {error.msg}") from None
    except RecursionError:
        is_too_deep = True
    except ValueError:
        raise Unreadable("This is not JSON that can be read. A number has more digits than can be read") from None
    if is_too_deep:
        raise Unreadable(f"The JSON is nested more than {MAX_DEPTH} deep. No schema needs that")
    return read_json(text.encode(errors="replace"))


def _refuse(constant: str) -> None:
    reason = f"{constant} is no JSON number; a catalog with it is refused whole"
    raise Unreadable(f"This is not JSON that can be read. {reason}")


def _depth(document: Any) -> int:
    """Count the levels of nested lists and objects."""
    if isinstance(document, dict):
        document = list(document.values())
    if isinstance(document, list):
        return 1 + max(map(_depth, document), default=0)
    return 1


def _item_in(document: Any) -> Any:
    """Return the catalog item, or wrap a bare schema in an item. Raises Unreadable for other documents."""
    if isinstance(document, Mapping) and isinstance(document.get("data"), list) and "sections" not in document:
        document = document["data"]
    if isinstance(document, list):
        if len(document) != 1:
            raise Unreadable(f"This is a list of {len(document)}. Paste one schema, or one item of a catalog")
        document = document[0]
    if not isinstance(document, Mapping):
        raise Unreadable("This is neither a schema nor an item of a catalog: both are JSON objects")
    if {"schema", "jurisdiction_product_id", "product"}.isdisjoint(document):
        name = document.get("form_name") or "Schema without a name"
        document = {"jurisdiction_product_id": UNNAMED, "product": {"name": name}, "schema": document}
    _refuse_too_much(document.get("schema"))
    return document


def _refuse_too_much(schema: Any) -> None:
    """Raise Unreadable for a schema that would take minutes to check, as rules are compared with all questions."""
    if not isinstance(schema, Mapping):
        return
    sections = _mappings(schema.get("sections"))
    question_count = 0
    questions = []
    for section in sections:
        for name in _LISTS:
            fields = section.get(name)
            if isinstance(fields, list):
                question_count += len(fields)
                questions += _mappings(fields)
    names: Counter[str] = Counter()
    for question in questions:
        names.update({str(question[key]) for key in _NAMES if question.get(key)})
    longest = 0
    for part in (*sections, *questions):
        # Options, currencies and a rule's answers.
        values = [value for key, value in part.items() if key not in _LISTS]
        for rule in _mappings(values):
            values += rule.values()
        for value in values:
            if isinstance(value, list):
                longest = max(longest, len(value))
    [(name, repetitions)] = names.most_common(1) or [("", 0)]
    for count, limit, noun in (
        (longest, MAX_OPTIONS, "options or answers in one list"),
        (len(sections), MAX_SECTIONS, "sections"),
        (question_count, MAX_QUESTIONS, "questions"),
        (repetitions, MAX_SAME, f"questions with the name “{name[:60]}”"),
    ):
        if count > limit:
            raise Unreadable(f"The schema has {count:,} {noun}. The workbench takes up to {limit:,}")


def _mappings(values: Any) -> list[Mapping[str, Any]]:
    if not isinstance(values, list):
        return []
    return [value for value in values if isinstance(value, Mapping)]


def _validation_faults(item: Any) -> Iterator[str]:
    try:
        CatalogItem.model_validate(item)
    except ValidationError as error:
        for fault in error.errors(include_input=False, include_url=False)[:_MAX_FAULTS]:
            place = ".".join(map(str, fault["loc"]))
            reason = "It is missing" if fault["type"] == "missing" else fault["msg"]
            yield f"It can’t be read, at {place}: {reason}"
