"""Read a pasted schema within limits, as our client reads the service's catalog, and find all its faults.

Any text is answered in sentences. Nothing of it is stored.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from formation_portal.contract.catalog import CatalogItem
from formation_portal.contract.schema_check import check_schema
from formation_portal.gateway.catalog import read_products
from formation_portal.gateway.errors import UnusableAnswer
from formation_portal.gateway.records import read_json

# Ten times the largest schema of the embedded service, and three times as deep.
MAX_BYTES = 1_000_000
MAX_DEPTH = 30
MAX_SECTIONS = 100
MAX_QUESTIONS = 2_000
MAX_SAME = 100
MAX_OPTIONS = 1_000
_MAX_FAULTS = 20
# The product id of a schema that is pasted alone.
UNNAMED = "workbench"
_NAMES = ("key", "canonical_field", "csp_field_key")
_LISTS = ("fields", "person_fields", "corporate_fields", "foundation_fields")


class Unreadable(Exception):
    """Raised for a text that can't be checked; the message says why."""


@dataclass(frozen=True, slots=True)
class Source:
    """A schema as the portal reads it. `item` is None where it can't be read at all; `faults` say why."""

    text: str
    name: str
    item: CatalogItem | None
    faults: tuple[str, ...]
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    # Some faults only keep a schema from being offered.
    can_be_drawn: bool


def decode(content: bytes) -> str:
    """Decode an uploaded file. Raises Unreadable."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable(f"The file is not text in UTF-8: byte {error.start + 1} can’t be read") from None


def read_source(text: str) -> Source:
    """Read a schema, or an item of a catalog, and find all its faults. Raises Unreadable."""
    repeated: list[str] = []
    item = _item_in(_read_document(text, repeated))
    [product] = read_products([item])
    report = check_schema(product.item.form) if product.item else None
    if report is None:
        faults = tuple(_validation_faults(item)) or tuple(filter(None, [product.reason]))
        return Source(text, product.name, None, faults, warnings=(), notes=(), can_be_drawn=False)
    doubled = [f"“{name}” stands twice in one object; the last one counts" for name in dict.fromkeys(repeated)]
    faults = tuple(fault.message for fault in report.faults) or tuple(filter(None, [product.reason]))
    return Source(
        text=text,
        name=product.name,
        item=product.item,
        faults=faults,
        warnings=(*doubled[:_MAX_FAULTS], *(warning.message for warning in report.warnings)),
        notes=tuple(note.message for note in report.notes),
        can_be_drawn=all(fault.code == "no_id" for fault in report.faults),
    )


def _read_document(text: str, repeated: list[str]) -> Any:
    """Parse the JSON as our client does. Adds names that stand twice in an object to `repeated`."""
    if not text.strip():
        raise Unreadable("There is nothing to check. Paste a schema, upload one, or choose one from the catalog")
    if (size := len(text.encode(errors="replace"))) > MAX_BYTES:
        raise Unreadable(f"The schema has {size:,} bytes. The workbench takes up to {MAX_BYTES:,}")

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        repeated.extend(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        return dict(pairs)

    try:
        document = json.loads(text, object_pairs_hook=members, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        raise Unreadable(f"This is not JSON. Line {error.lineno}, character {error.colno}: {error.msg}") from None
    except RecursionError:
        raise Unreadable(_too_deep()) from None
    except ValueError as error:
        reason = str(error) if isinstance(error, _NoNumber) else "A number has more digits than can be read"
        raise Unreadable(f"This is not JSON that can be read. {reason}") from None
    if _depth(document) > MAX_DEPTH:
        raise Unreadable(_too_deep())
    try:
        return read_json(text.encode(errors="replace"))
    except UnusableAnswer:
        raise Unreadable("This is not JSON that our client of the formation service can read") from None


class _NoNumber(ValueError):
    """A constant that JSON does not have."""


def _refuse(constant: str) -> None:
    raise _NoNumber(f"{constant} is no JSON number; a catalog with it is refused whole")


def _too_deep() -> str:
    return f"The JSON is nested more than {MAX_DEPTH} deep. No schema needs that"


def _depth(document: Any) -> int:
    """Count the levels of nested lists and objects, up to one more than the limit."""
    depth = 0
    level = [document]
    while level and depth <= MAX_DEPTH:
        below: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                below += value.values()
            elif isinstance(value, list):
                below += value
        level = below
        depth += 1
    return depth


def _item_in(document: Any) -> Any:
    """Return the catalog item, or an item made of the schema. Raises Unreadable for any other document."""
    if isinstance(document, Mapping) and isinstance(document.get("data"), list) and "sections" not in document:
        document = document["data"]
    if isinstance(document, list):
        if len(document) != 1:
            raise Unreadable(f"This is a list of {len(document)}. Paste one schema, or one item of a catalog")
        document = document[0]
    if not isinstance(document, Mapping):
        raise Unreadable("This is neither a schema nor an item of a catalog: both are JSON objects")
    item = document
    if {"schema", "jurisdiction_product_id", "product"}.isdisjoint(document):
        item = {
            "jurisdiction_product_id": UNNAMED,
            "product": {"name": document.get("form_name") or "Schema without a name"},
            "schema": document,
        }
    _refuse_too_much(item.get("schema"))
    return item


def _refuse_too_much(schema: Any) -> None:
    """Raise Unreadable for a schema that would take minutes to check: each rule is compared with all questions of its
    name."""
    sections = _mappings(schema.get("sections")) if isinstance(schema, Mapping) else []
    questions: list[Mapping[str, Any]] = []
    question_count = 0
    for section in sections:
        for name in _LISTS:
            if isinstance(section.get(name), list):
                question_count += len(section[name])
                questions += _mappings(section[name])
    names: Counter[str] = Counter()
    for question in questions:
        names.update({str(question[key]) for key in _NAMES if question.get(key)})
    longest = 0
    for part in (*sections, *questions):
        # Options, currencies and the answers in a rule.
        values = [value for key, value in part.items() if key not in _LISTS]
        for rule in _mappings(values):
            values += rule.values()
        longest = max([longest, *(len(value) for value in values if isinstance(value, list))])
    name, repetitions = names.most_common(1)[0] if names else ("", 0)
    for count, limit, noun in (
        (longest, MAX_OPTIONS, "options or answers in one list"),
        (len(sections), MAX_SECTIONS, "sections"),
        (question_count, MAX_QUESTIONS, "questions"),
        (repetitions, MAX_SAME, f"questions with the name “{name[:60]}”"),
    ):
        if count > limit:
            raise Unreadable(f"The schema has {count:,} {noun}. The workbench takes up to {limit:,}")


def _mappings(values: Any) -> list[Mapping[str, Any]]:
    return [value for value in values if isinstance(value, Mapping)] if isinstance(values, list) else []


def _validation_faults(item: Any) -> Iterator[str]:
    """Yield the errors that keep an item from being read, each with its place."""
    try:
        CatalogItem.model_validate(item)
    except ValidationError as error:
        for fault in error.errors(include_input=False, include_url=False)[:_MAX_FAULTS]:
            place = ".".join(str(step) for step in fault["loc"])
            yield f"It can’t be read, at {place}: {'It is missing' if fault['type'] == 'missing' else fault['msg']}"
