"""Read an error answer of any shape (INTERFACE.md, "Envelopes, pages, errors").

Understood: RFC 9457 with its members `code` and `errors`, `{"error": {"code", "message", "details"}}`,
`{"error": "text"}`, `{"errors": {"field": ["text"]}}` at any depth, and `{"detail": …}`. Nothing here raises.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

from .errors import MAX_ID_LENGTH, ErrorBody, FieldProblem

MAX_TEXT_LENGTH = 500
MAX_PROBLEMS = 200
_MAX_DEPTH = 12
# The form of a code that may be compared and stored; anything else is a text.
_CODE = re.compile(r"[A-Za-z0-9_.:-]{1,40}")
# The name of a field or of a fault: its words are joined by marks, not by blanks, or it is in capital letters.
_NAME = re.compile(r"""(?=.*\w[._/:~\['"-]+\w)[\w#$./:~\[\]'"-]+|[A-Z]{4,}""")
_MESSAGE_MEMBERS = ("detail", "message", "msg", "description", "reason", "title", "error")
# Members that may name the field; the second group only beside a message, since fields may have such names too.
_FIELD_MEMBERS = ("field", "pointer", "path", "loc", "param")
_FIELD_MEMBERS_BESIDE_MESSAGES = ("name", "parameter", "property")
# Members that hold lists of objections, and are not fields.
_LIST_MEMBERS = (
    *("errors", "details", "detail", "fields", "violations", "issues", "problems", "invalid_params", "invalid-params"),
    *("fieldErrors", "field_errors", "fieldViolations", "field_violations"),
)
# Steps of a path that are not fields, and names for all fields together.
_IGNORED_STEPS = frozenset({"", "$", "body", "payload", "data", "attributes", "__all__", "non_field_errors"})
# Other members of an objection, such as the refused value and data for programs.
_METADATA_MEMBERS = frozenset(
    {"code", "type", "status", "value", "input", "given", "url", "id", "request_id", "instance"}
)


def read_error_body(body: bytes, *, content_type: str = "") -> ErrorBody:
    """Read the body of an error answer. An HTML page, as sent by proxies, gives no message."""
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
    lists = [*_problem_lists(answer), *_problem_lists(inner)]
    naming_a_field = [mapping for mapping in (inner, answer) if _field_path(mapping)]
    return ErrorBody(
        code=_code(answer.get("code")) or _code(inner.get("code")) or (_code(error) if _is_name(error) else ""),
        message=message,
        problems=_problems(lists, message) or _problems(naming_a_field[:1], message),
        existing_id=_id(answer.get("existing_id")) or _id(inner.get("existing_id")),
    )


def _problem_lists(mapping: Mapping[str, Any]) -> list[Any]:
    return [mapping[name] for name in _LIST_MEMBERS if isinstance(mapping.get(name), Mapping | list)]


def _problems(values: list[Any], message: str = "") -> tuple[FieldProblem, ...]:
    """Return the objections in the values. An objection without a text gets `message`."""
    problems = []
    for problem in islice(_read(values, (), _MAX_DEPTH), MAX_PROBLEMS):
        if not problem.message:
            problem = replace(problem, message=message)
        problems.append(problem)
    return tuple(problems)


def _read(value: Any, path: tuple[str, ...], depth: int) -> Iterator[FieldProblem]:
    if depth == 0:
        return
    if isinstance(value, list):
        for item in value:
            yield from _read(item, path, depth - 1)
    elif isinstance(value, Mapping):
        yield from _read_mapping(value, path, depth)
    elif isinstance(value, str) and (text := _text(value)):
        if not _is_name(text):
            yield FieldProblem(field=_field_name(path), code="invalid", message=text)
        elif path:
            yield FieldProblem(field=_field_name(path), code=_code(text) or "invalid", message="")
        else:
            yield FieldProblem(field=_field_name(_steps(text)), code="invalid", message="")


def _read_mapping(mapping: Mapping[str, Any], path: tuple[str, ...], depth: int) -> Iterator[FieldProblem]:
    """Yield the mapping's objection, or those in its members, as in `{"field": ["text", …]}` or `{"field": {…}}`."""
    field_path = _field_path(mapping)
    text = _message(mapping)
    if field_path or (text and not _is_field_map(mapping)):
        yield FieldProblem(
            field=_field_name((*path, *field_path)),
            code=_text_of_string(mapping.get("code")) or _text_of_string(mapping.get("type")) or "invalid",
            message=text,
            section=_text_of_string(mapping.get("section")),
            party_id=_text_of_string(mapping.get("party_id")),
            share_class_id=_text_of_string(mapping.get("share_class_id")),
            slot=_text(mapping.get("slot")),
        )
    elif lists := _problem_lists(mapping):
        yield from _read(lists, path, depth - 1)
    else:
        for name, value in mapping.items():
            if name not in _METADATA_MEMBERS and not name.startswith("@"):
                yield from _read(value, (*path, *_steps(name)), depth - 1)


def _is_field_map(mapping: Mapping[str, Any]) -> bool:
    """Tell whether members other than messages hold objections, so that the names of members are those of fields."""
    for name, value in mapping.items():
        has_objection = isinstance(value, list | Mapping) or " " in _text_of_string(value)
        if has_objection and name not in _MESSAGE_MEMBERS and name not in _METADATA_MEMBERS:
            return True
    return False


def _field_path(mapping: Mapping[str, Any]) -> tuple[str, ...]:
    text = _message(mapping)
    source = mapping.get("source")
    inner = source if isinstance(source, Mapping) else {}
    for name in (*_FIELD_MEMBERS, *(_FIELD_MEMBERS_BESIDE_MESSAGES if text else ())):
        value = mapping.get(name, inner.get(name))
        if isinstance(value, str) and value and (text or " " not in value):
            return _steps(value)
        if isinstance(value, list) and value and name in ("path", "loc"):
            steps = tuple(str(step) for step in value if isinstance(step, str | int))
            if not any(" " in step for step in steps):
                return steps
    return ()


def _steps(path: str) -> tuple[str, ...]:
    """Return the steps of a JSON pointer, or a name as one step. A key within csp_data may have dots."""
    if path.startswith(("/", "#/")):
        return tuple(step.replace("~1", "/").replace("~0", "~") for step in path.lstrip("#").split("/")[1:])
    _, csp_data, key = path.partition("csp_data")
    return ("csp_data", key.strip("./[]'\"")) if csp_data and key else (path.removeprefix("$."),)


def _field_name(steps: tuple[str, ...]) -> str:
    """Return the field that a path names: within csp_data the key alone, elsewhere the path with dots."""
    path = [step for step in steps if step not in _IGNORED_STEPS]
    if "csp_data" in path[:-1]:
        return _text(path[path.index("csp_data") + 1])
    return _text(".".join(path))


def _message(mapping: Mapping[str, Any]) -> str:
    """Return the first message that is a text for people and not the name of an error; "" if there is none."""
    for name in _MESSAGE_MEMBERS:
        text = _text_of_string(mapping.get(name))
        if text and not _is_name(text):
            return text
    return ""


def _is_name(text: Any) -> bool:
    return isinstance(text, str) and _NAME.fullmatch(text) is not None


def _code(value: Any) -> str:
    return value if isinstance(value, str) and _CODE.fullmatch(value) else ""


def _id(value: Any) -> str:
    """Return an id exactly as it was sent, or "" for an impossible one."""
    return value if isinstance(value, str) and len(value) <= MAX_ID_LENGTH and value == _text(value) else ""


def _text_of_string(value: Any) -> str:
    return _text(value) if isinstance(value, str) else ""


def _text(value: Any) -> str:
    """Return a value as one line of limited length, without control characters."""
    if value is None or isinstance(value, Mapping | list):
        return ""
    text = str(value)[: MAX_TEXT_LENGTH * 2]
    visible = "".join(character if character.isprintable() else " " for character in text)
    return " ".join(visible.split())[:MAX_TEXT_LENGTH]
