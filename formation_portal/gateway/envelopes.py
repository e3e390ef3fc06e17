"""Reads what a successful answer holds: a record or a list, bare or under `data` (supplement, "Envelopes").

Raises UnusableAnswer where there is none; the table in errors.py says what that means.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from .errors import UnusableAnswer

MAX_ID_LENGTH = 200
# Characters that JSON can write and that neither a database nor a page can hold.
_UNSTORABLE = re.compile(rb"\\u(0000|[dD][89a-fA-F])")


def read_json(body: bytes) -> Any:
    """The answer as plain data; a null character or half a surrogate pair in a text becomes a question mark."""
    try:
        answer = json.loads(body, parse_constant=_refuse)
        return _storable(answer) if _UNSTORABLE.search(body) else answer
    except (ValueError, RecursionError) as error:
        raise UnusableAnswer("The answer is not JSON") from error


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def _storable(found: Any) -> Any:
    if isinstance(found, str):
        return found.replace("\x00", "?").encode("utf-8", "replace").decode()
    if isinstance(found, dict):
        return {_storable(name): _storable(value) for name, value in found.items()}
    return [_storable(one) for one in found] if isinstance(found, list) else found


def record_in(answer: Any) -> dict[str, Any]:
    """One record."""
    inner = answer.get("data", answer) if isinstance(answer, Mapping) else None
    if not isinstance(inner, dict):
        raise UnusableAnswer("The answer holds no record")
    return inner


def list_in(answer: Any) -> list[Any]:
    """A list of anything."""
    inner = answer.get("data") if isinstance(answer, Mapping) else answer
    if not isinstance(inner, list):
        raise UnusableAnswer("The answer holds no list")
    return inner


def records_in(answer: Any) -> list[dict[str, Any]]:
    """A list of records."""
    found = list_in(answer)
    if not all(isinstance(one, dict) for one in found):
        raise UnusableAnswer("The answer's list contains something other than records")
    return found


def pages_in(answer: Any) -> int:
    """How many pages a list has; 1 where it doesn't say."""
    meta = answer.get("meta") if isinstance(answer, Mapping) else None
    total = meta.get("total_pages") if isinstance(meta, Mapping) else None
    return total if isinstance(total, int) and not isinstance(total, bool) and total > 0 else 1


def with_id(record: dict[str, Any], *, name: str, others: tuple[str, ...] = ()) -> dict[str, Any]:
    """The record with its id under `name`, which may stand under other names; without one it can't be used."""
    found = next((record[one] for one in (name, *others) if record.get(one) is not None), None)
    if not isinstance(found, str) or not 0 < len(found) <= MAX_ID_LENGTH:
        raise UnusableAnswer(f"The answer's record has no usable {name}")
    return record | {name: found}
