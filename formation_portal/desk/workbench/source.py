"""A schema that somebody brings: read within limits, as our client reads the service's catalog, with all its faults.

Whatever the text is, it is answered in sentences. Nothing of it is kept.
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
# Of what can go wrong thousands of times.
_MOST_NAMED = 20
# What a product is called that a schema is tried out for.
UNNAMED = "workbench"
_NAMES = ("key", "canonical_field", "csp_field_key")
_LISTS = ("fields", "person_fields", "corporate_fields", "foundation_fields")


class Unreadable(Exception):
    """The text is nothing that could be checked; the message says why."""


@dataclass(frozen=True, slots=True)
class Source:
    """A schema as the portal reads it. `item` is None where it can't be read at all; `faults` says why."""

    text: str
    name: str
    item: CatalogItem | None
    faults: tuple[str, ...]
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    # Whether customers' pages could draw it: some faults only keep it from being offered.
    can_be_drawn: bool


def decode(content: bytes) -> str:
    """The text of an uploaded file. Raises Unreadable."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable(f"The file is not text in UTF-8: byte {error.start + 1} can’t be read") from None


def read_source(text: str) -> Source:
    """Read a schema, or an item of a catalog, and look for all its faults. Raises Unreadable."""
    repeated: list[str] = []
    item = _item_in(_read_document(text, repeated))
    [product] = read_products([item])
    report = check_schema(product.item.form) if product.item else None
    faults = [fault.message for fault in report.faults] if report else list(_validation_faults(item))
    if product.reason and not faults:
        faults.append(product.reason)
    codes = {fault.code for fault in report.faults} if report else {"unreadable"}
    doubled = [f"“{name}” stands twice in one object; the last one counts" for name in dict.fromkeys(repeated)]
    return Source(
        text=text,
        name=product.name,
        item=product.item,
        faults=tuple(faults),
        warnings=(*doubled[:_MOST_NAMED], *(one.message for one in report.warnings if report)) if report else (),
        notes=tuple(one.message for one in report.notes) if report else (),
        can_be_drawn=codes <= {"no_id"},
    )


def _read_document(text: str, repeated: list[str]) -> Any:
    """The JSON value, as our client reads it; names that stand twice in an object are added to `repeated`."""
    if not text.strip():
        raise Unreadable("There is nothing to check. Paste a schema, upload one, or choose one from the catalog")
    if (size := len(text.encode(errors="replace"))) > MAX_BYTES:
        raise Unreadable(f"The schema has {size:,} bytes. The workbench takes up to {MAX_BYTES:,}")

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            repeated.extend(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        return found

    try:
        document = json.loads(text, object_pairs_hook=members, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        raise Unreadable(f"This is not JSON. Line {error.lineno}, character {error.colno}: {error.msg}") from None
    except RecursionError:
        raise Unreadable(_too_deep()) from None
    except ValueError as error:
        said = str(error) if isinstance(error, _NoNumber) else "A number has more digits than can be read"
        raise Unreadable(f"This is not JSON that can be read. {said}") from None
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
    """How deep lists and objects are nested, counted level by level; it stops below the limit."""
    depth, level = 0, [document]
    while level and depth <= MAX_DEPTH:
        inner = (one.values() if isinstance(one, dict) else one for one in level if isinstance(one, dict | list))
        level = [value for values in inner for value in values]
        depth += 1
    return depth


def _item_in(document: Any) -> Any:
    """The catalog item, or the schema as that of an item. Raises Unreadable for what can be neither."""
    if isinstance(document, Mapping) and isinstance(document.get("data"), list) and "sections" not in document:
        document = document["data"]
    if isinstance(document, list):
        if len(document) != 1:
            raise Unreadable(f"This is a list of {len(document)}. Paste one schema, or one item of a catalog")
        document = document[0]
    if not isinstance(document, Mapping):
        raise Unreadable("This is neither a schema nor an item of a catalog: both are JSON objects")
    is_item = not {"schema", "jurisdiction_product_id", "product"}.isdisjoint(document)
    item = (
        document
        if is_item
        else {
            "jurisdiction_product_id": UNNAMED,
            "product": {"name": document.get("form_name") or "Schema without a name"},
            "schema": document,
        }
    )
    _refuse_too_much(item.get("schema"))
    return item


def _refuse_too_much(schema: Any) -> None:
    """Raise Unreadable for what would take minutes to check: each rule is held against all questions of its name."""
    listed = schema.get("sections") if isinstance(schema, Mapping) else None
    sections = [one for one in listed if isinstance(one, Mapping)] if isinstance(listed, list) else []
    lists = [fields for section in sections for name in _LISTS if isinstance(fields := section.get(name), list)]
    questions = [one for fields in lists for one in fields if isinstance(one, Mapping)]
    names = Counter(name for one in questions for name in {str(one[key]) for key in _NAMES if one.get(key)})
    name, same = names.most_common(1)[0] if names else ("", 0)
    # Options, currencies and the answers that a rule names.
    told = [value for one in (*sections, *questions) for key, value in one.items() if key not in _LISTS]
    told += [value for one in told if isinstance(one, Mapping) for value in one.values()]
    longest = max((len(one) for one in told if isinstance(one, list)), default=0)
    for count, most, what in (
        (longest, MAX_OPTIONS, "options or answers in one list"),
        (len(sections), MAX_SECTIONS, "sections"),
        (sum(map(len, lists)), MAX_QUESTIONS, "questions"),
        (same, MAX_SAME, f"questions with the name “{name[:60]}”"),
    ):
        if count > most:
            raise Unreadable(f"The schema has {count:,} {what}. The workbench takes up to {most:,}")


def _validation_faults(item: Any) -> Iterator[str]:
    """Everything that keeps an item from being read, each with its place."""
    try:
        CatalogItem.model_validate(item)
    except ValidationError as error:
        for one in error.errors(include_input=False, include_url=False)[:_MOST_NAMED]:
            where = ".".join(str(step) for step in one["loc"])
            yield f"It can’t be read, at {where}: {'It is missing' if one['type'] == 'missing' else one['msg']}"
