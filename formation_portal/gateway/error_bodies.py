"""Reads an error answer of any shape into a Complaint (supplement, "Envelopes, pages, errors").

Understood: RFC 9457 with the supplement's `code` and `errors`, `{"error": {"code", "message", "details"}}`,
`{"error": "text"}`, `{"errors": {"field": ["text"]}}` at any depth, `{"detail": …}` (a text, or a list with `loc` and
`msg`), and a body that is not JSON at all. What names a field and says nothing of its own says what the whole answer
says, and the name of something is never taken for a sentence. Nothing here raises: an error that can't be read is still
an error.
"""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

from .errors import MAX_ID_LENGTH, ErrorBody, FieldProblem

MAX_TEXT_LENGTH = 500
MAX_PROBLEMS = 200
_MAX_DEPTH = 12
# What a code looks like that a program may compare and keep; anything else is a sentence, or worse.
_CODE = re.compile(r"[A-Za-z0-9_.:-]{1,40}")
# The name of a field or of a fault: no blank, and something else between its words.
_NAME = re.compile(r"""(?=.*\w[._/:~\['"-]+\w)[\w#$./:~\[\]'"-]+|[A-Z]{4,}""")
_MESSAGE_MEMBERS = ("detail", "message", "msg", "description", "reason", "title", "error")
# What may say which field is meant; the second ones only beside a text, since fields are called so too.
_FIELD_MEMBERS = ("field", "pointer", "path", "loc", "param")
_FIELD_MEMBERS_BESIDE_MESSAGES = ("name", "parameter", "property")
# What holds objections and is no field itself.
_LIST_MEMBERS = ("errors", "details", "detail", "fields", "violations", "issues", "problems", "invalid_params")
_MORE_LIST_MEMBERS = ("invalid-params", "fieldErrors", "field_errors", "fieldViolations", "field_violations")
# Steps of a path that lead to no field; and what is said of all fields together.
_IGNORED_STEPS = frozenset({"", "$", "body", "payload", "data", "attributes", "__all__", "non_field_errors"})
# What an objection has besides: what was sent, and what a program makes of it.
_METADATA_MEMBERS = frozenset(
    {"code", "type", "status", "value", "input", "given", "url", "id", "request_id", "instance"}
)


def read_error_body(body: bytes, *, content_type: str = "") -> ErrorBody:
    """What the error answer says. Mark-up is left out: a proxy's page of HTML says nothing to people."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        is_markup = "html" in content_type or body.lstrip()[:1] == b"<"
        return ErrorBody(message="" if is_markup else _text(body.decode("utf-8", "replace")))
    if isinstance(answer, list):
        return ErrorBody(problems=_problems([answer]))
    if not isinstance(answer, Mapping):
        return ErrorBody(message=_text(answer))
    error = answer.get("error")
    inner = error if isinstance(error, Mapping) else {}
    message = _message(answer) or _message(inner)
    held = [value for one in (answer, inner) for value in _problem_lists(one)]
    named = [one for one in (inner, answer) if _field_path(one)]
    return ErrorBody(
        code=_code(answer.get("code")) or _code(inner.get("code")) or (_code(error) if _is_name(error) else ""),
        message=message,
        problems=_problems(held, message) or _problems(named[:1], message),
        existing_id=_id(answer.get("existing_id")) or _id(inner.get("existing_id")),
    )


def _problem_lists(found: Mapping[str, Any]) -> list[Any]:
    """What is in its members that hold objections."""
    held = (found.get(name) for name in (*_LIST_MEMBERS, *_MORE_LIST_MEMBERS))
    return [one for one in held if isinstance(one, Mapping | list)]


def _problems(found: list[Any], message: str = "") -> tuple[FieldProblem, ...]:
    """Everything that is said there; `message` where an objection names its field and says nothing."""
    read = (one if one.message else replace(one, message=message) for one in _read(found, (), _MAX_DEPTH))
    return tuple(islice(read, MAX_PROBLEMS))


def _read(found: Any, path: tuple[str, ...], depth: int) -> Iterator[FieldProblem]:
    """The objections at a path, each with its field, or with a sentence."""
    if depth == 0:
        return
    if isinstance(found, list):
        for one in found:
            yield from _read(one, path, depth - 1)
    elif isinstance(found, Mapping):
        yield from _of_mapping(found, path, depth)
    elif isinstance(found, str) and (text := _text(found)):
        if not _is_name(text):
            yield FieldProblem(field=_field_name(path), code="invalid", message=text)
        elif path:
            yield FieldProblem(field=_field_name(path), code=_code(text) or "invalid", message="")
        else:
            yield FieldProblem(field=_field_name(_steps(text)), code="invalid", message="")


def _of_mapping(found: Mapping[str, Any], path: tuple[str, ...], depth: int) -> Iterator[FieldProblem]:
    """One objection, or those of each member: `{"field": "text"}`, `{"field": ["text", …]}`, `{"field": {…}}`."""
    place, text = _field_path(found), _message(found)
    # In a list of fields, one of which is called like a text, others say something as well.
    others = [value for name, value in found.items() if name not in _MESSAGE_MEMBERS and name not in _METADATA_MEMBERS]
    is_field_map = any(isinstance(value, list | Mapping) or " " in _text_of_string(value) for value in others)
    if place or (text and not is_field_map):
        yield FieldProblem(
            field=_field_name((*path, *place)),
            code=_text_of_string(found.get("code")) or _text_of_string(found.get("type")) or "invalid",
            message=text,
            section=_text_of_string(found.get("section")),
            party_id=_text_of_string(found.get("party_id")),
            share_class_id=_text_of_string(found.get("share_class_id")),
            slot=_text(found.get("slot")),
        )
        return
    if held := _problem_lists(found):
        yield from _read(held, path, depth - 1)
        return
    for name, said in found.items():
        if name not in _METADATA_MEMBERS and not name.startswith("@"):
            yield from _read(said, (*path, *_steps(name)), depth - 1)


def _field_path(found: Mapping[str, Any]) -> tuple[str, ...]:
    """The path to the field that it means; empty where it names none."""
    text, source = _message(found), found.get("source")
    within = source if isinstance(source, Mapping) else {}
    for name in (*_FIELD_MEMBERS, *(_FIELD_MEMBERS_BESIDE_MESSAGES if text else ())):
        said = found.get(name, within.get(name))
        if isinstance(said, str) and said and (text or " " not in said):
            return _steps(said)
        if isinstance(said, list) and said and name in ("path", "loc"):
            steps = tuple(str(step) for step in said if isinstance(step, str | int))
            if not any(" " in step for step in steps):
                return steps
    return ()


def _steps(said: str) -> tuple[str, ...]:
    """A JSON pointer's steps, or a name. A key within csp_data may have dots itself."""
    if said.startswith(("/", "#/")):
        return tuple(step.replace("~1", "/").replace("~0", "~") for step in said.lstrip("#").split("/")[1:])
    _, within, key = said.partition("csp_data")
    return ("csp_data", key.strip("./[]'\"")) if within and key else (said.removeprefix("$."),)


def _field_name(steps: tuple[str, ...]) -> str:
    """The field that a path leads to: within csp_data the key alone, elsewhere the path with dots."""
    path = [step for step in steps if step not in _IGNORED_STEPS]
    if "csp_data" in path[:-1]:
        return _text(path[path.index("csp_data") + 1])
    return _text(".".join(path))


def _message(found: Mapping[str, Any]) -> str:
    """What it says to people; the name of a fault is none."""
    said = (_text_of_string(found.get(name)) for name in _MESSAGE_MEMBERS)
    return next((one for one in said if one and not _is_name(one)), "")


def _is_name(text: Any) -> bool:
    return isinstance(text, str) and _NAME.fullmatch(text) is not None


def _code(value: Any) -> str:
    return value if isinstance(value, str) and _CODE.fullmatch(value) else ""


def _id(value: Any) -> str:
    """An id exactly as it was said; nothing where it can't be one."""
    return value if isinstance(value, str) and len(value) <= MAX_ID_LENGTH and value == _text(value) else ""


def _text_of_string(value: Any) -> str:
    return _text(value) if isinstance(value, str) else ""


def _text(value: Any) -> str:
    """One line for people: no control characters, and an end."""
    if value is None or isinstance(value, Mapping | list):
        return ""
    shown = "".join(" " if unicodedata.category(one)[0] == "C" else one for one in str(value)[: MAX_TEXT_LENGTH * 2])
    return " ".join(shown.split())[:MAX_TEXT_LENGTH]
