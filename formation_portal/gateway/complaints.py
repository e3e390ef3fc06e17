"""Reads an error answer of any shape into a Complaint (supplement, "Envelopes, pages, errors").

Understood: RFC 9457 with the supplement's `code` and `errors`, `{"error": {"code", "message", "details"}}`,
`{"error": "text"}`, `{"errors": {"field": ["text"]}}`, `{"detail": …}` (a text, or a list with `loc` and `msg`), and a
body that is no JSON at all. Nothing here raises: an error that can't be read is still an error.
"""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

from .envelopes import LONGEST_ID
from .errors import Complaint, Objection

LONGEST_TEXT = 500
# What a code looks like that a program may compare and keep; anything else is a sentence, or worse.
_CODE = re.compile(r"[A-Za-z0-9_.:-]{1,40}")
MOST_OBJECTIONS = 200
_FIELD_NAMES = ("field", "name", "param", "parameter", "property", "path")
_TEXT_NAMES = ("detail", "message", "msg", "description", "title", "error")


def read_complaint(body: bytes, *, content_type: str = "") -> Complaint:
    """What the error answer says. Mark-up is left out: a proxy's page of HTML says nothing to people."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        is_markup = "html" in content_type or body.lstrip()[:1] == b"<"
        return Complaint(message="" if is_markup else _text(body.decode("utf-8", "replace")))
    if isinstance(answer, list):
        return Complaint(objections=_objections(answer))
    if not isinstance(answer, Mapping):
        return Complaint(message=_text(answer))
    return _of_object(answer)


def _of_object(answer: Mapping[str, Any]) -> Complaint:
    error = answer.get("error")
    inner = error if isinstance(error, Mapping) else {}
    detail = answer.get("detail")
    objections = (
        *_objections(answer.get("errors")),
        *_objections(inner.get("errors")),
        *_objections(inner.get("details")),
        *_objections(answer.get("details")),
        *_objections(detail if isinstance(detail, list | Mapping) else None),
    )
    return Complaint(
        code=_code(answer.get("code")) or _code(inner.get("code")),
        message=_first_text(answer) or _first_text(inner),
        objections=objections[:MOST_OBJECTIONS],
        existing_id=_id(answer.get("existing_id")) or _id(inner.get("existing_id")),
    )


def _objections(found: Any) -> tuple[Objection, ...]:
    if isinstance(found, Mapping):
        return tuple(_of_fields(found))[:MOST_OBJECTIONS]
    if isinstance(found, list):
        return tuple(_of_item(item) for item in found[:MOST_OBJECTIONS])
    return ()


def _of_fields(found: Mapping[str, Any]) -> Iterator[Objection]:
    """`{"field": "text"}`, `{"field": ["text", …]}`, `{"field": {"message": …}}`; one detail in one object too."""
    if any(isinstance(found.get(name), str) for name in _FIELD_NAMES) and _first_text(found):
        yield _of_item(found)
        return
    for field, said in found.items():
        for one in said if isinstance(said, list) else [said]:
            message = _first_text(one) if isinstance(one, Mapping) else _text(one)
            code = _word(one.get("code")) if isinstance(one, Mapping) else ""
            yield Objection(field=_text(field), code=code or "invalid", message=message)


def _of_item(item: Any) -> Objection:
    if not isinstance(item, Mapping):
        return Objection(field="", code="invalid", message=_text(item))
    return Objection(
        field=_field(item),
        code=_word(item.get("code")) or _word(item.get("type")) or "invalid",
        message=_first_text(item),
        section=_word(item.get("section")),
        party_id=_word(item.get("party_id")),
        share_class_id=_word(item.get("share_class_id")),
        slot=_text(item.get("slot")),
    )


def _field(item: Mapping[str, Any]) -> str:
    for name in _FIELD_NAMES:
        if isinstance(item.get(name), str) and item[name]:
            return _text(item[name])
    source = item.get("source")
    pointer = item.get("pointer") or (source.get("pointer") if isinstance(source, Mapping) else None)
    if isinstance(pointer, str):
        return _named([step.replace("~1", "/").replace("~0", "~") for step in pointer.lstrip("#").split("/")[1:]])
    where = item.get("loc")
    return _named([str(step) for step in where]) if isinstance(where, list) else ""


def _named(steps: list[str]) -> str:
    """The field that a path leads to: within csp_data the key alone, elsewhere the path with dots."""
    path = [step for step in steps if step and step not in ("body", "payload")]
    if "csp_data" in path[:-1]:
        return _text(path[path.index("csp_data") + 1])
    return _text(".".join(path))


def _first_text(found: Mapping[str, Any]) -> str:
    return next((_text(found[name]) for name in _TEXT_NAMES if isinstance(found.get(name), str)), "")


def _code(value: Any) -> str:
    return value if isinstance(value, str) and _CODE.fullmatch(value) else ""


def _id(value: Any) -> str:
    """An id exactly as it was said; nothing where it can't be one."""
    return value if isinstance(value, str) and len(value) <= LONGEST_ID and value == _text(value) else ""


def _word(value: Any) -> str:
    return _text(value) if isinstance(value, str) else ""


def _text(value: Any) -> str:
    """One line for people: no control characters, and an end."""
    if value is None or isinstance(value, Mapping | list):
        return ""
    shown = "".join(" " if unicodedata.category(one)[0] == "C" else one for one in str(value)[: LONGEST_TEXT * 2])
    return " ".join(shown.split())[:LONGEST_TEXT]
