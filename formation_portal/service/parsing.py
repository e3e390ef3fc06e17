"""Reads bodies: strict JSON, and in it answers that are known and well-formed, or refused with a pointer (interface,
"Limits").

The contract's fields read the values, and what they would write is what the body must hold, in JSON's own types: "12"
is no number, "true" no boolean. What is missing is checked on submit.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from django.http import HttpRequest
from ninja.parser import Parser

from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.fields.bounds import NO_BOUNDS
from formation_portal.contract.fields.values import AnswerError
from formation_portal.service.entity_forms import HolderFields, Path
from formation_portal.service.problems import ErrorDetail, pointer


class StrictParser(Parser):
    """ninja's parser with a stricter reading; what it raises is answered with 400."""

    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        """The body as JSON; raises ValueError or RecursionError."""
        body: dict[str, Any] = json.loads(request.body.decode("utf-8"), parse_constant=_refuse_constant)
        # An escaped half of a surrogate pair is valid JSON by the letter, and no text.
        json.dumps(body, ensure_ascii=False).encode("utf-8")
        return body


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


@dataclass(frozen=True, slots=True)
class ParsedAnswers:
    """What a body says: each path's new value, None where it clears; and what is wrong with the rest.

    `bounded` has the pointers of the values whose fields have bounds, by the name of the answer.
    """

    values: Mapping[Path, Any]
    errors: tuple[ErrorDetail, ...]
    bounded: Mapping[str, str]

    def merged_into(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """The record with these changes."""
        changed = dict(record)
        for path, value in self.values.items():
            _set_path(changed, path, value)
        return changed


@dataclass(frozen=True, slots=True)
class AnswerParser:
    """Reads values for one holder. `share_classes` are the ids that a reference may name."""

    share_classes: frozenset[str] = frozenset()

    def properties(self, body: Mapping[str, Any], askable: HolderFields) -> ParsedAnswers:
        """Properties by their path; an object holds those of one prefix."""
        prefixes = {path[:-1] for path in askable.properties if len(path) > 1}
        return self._read(_flatten(body, prefixes, ()), askable.properties, ())

    def csp_data(self, body: Mapping[str, Any], askable: HolderFields) -> ParsedAnswers:
        """Answers by csp_field_key."""
        known: dict[Path, FieldSpec] = {(name,): spec for name, spec in askable.csp.items()}
        return self._read((((name,), raw) for name, raw in body.items()), known, ("csp_data",))

    def _read(self, said: Iterator[tuple[Path, Any]], known: Mapping[Path, FieldSpec], within: Path) -> ParsedAnswers:
        values: dict[Path, Any] = {}
        complaints: list[ErrorDetail] = []
        bounded: dict[str, str] = {}
        for path, raw in said:
            where = pointer(*within, *path)
            try:
                values[path] = self._value(known.get(path), raw)
                if known[path].bounds != NO_BOUNDS:
                    bounded[known[path].name] = where
            except AnswerError as error:
                name = known[path].name if path in known else ".".join(path)
                where = pointer(*within, *path, *error.part) if isinstance(error, WrongType) else where
                complaints.append(ErrorDetail(where, error.code, error.message, name))
        return ParsedAnswers(values, tuple(complaints), bounded)

    def _value(self, spec: FieldSpec | None, raw: Any) -> Any:
        if spec is None:
            raise AnswerError("unknown_field", "This form doesn't ask for this answer")
        if spec.provided_by_agent:
            raise AnswerError("provided_by_agent", f"“{spec.label}” is answered by the agent; leave it out")
        if raw is None:
            return None
        value = spec.clean(raw)
        if value is None:
            # An empty text or list clears. An object was meant to say something, and lacks it.
            if isinstance(raw, Mapping):
                raise AnswerError("incomplete", f"“{spec.label}” has no parts; send null to clear it")
            return None
        if spec.refers_to_share_class and value not in self.share_classes:
            raise AnswerError("unknown_share_class", f"“{spec.label}” is not a share class of this entity")
        payload = spec.payload(value)
        if isinstance(raw, Mapping) and isinstance(payload, Mapping):
            # The body must not leave a part to be guessed (interface: both keys are required).
            for part in payload:
                if part not in raw:
                    raise AnswerError("required", f"“{spec.label}” is missing {part}")
        _refuse_other_types(spec, raw, payload, ())
        return payload


class WrongType(AnswerError):
    """A value of another JSON type than the interface says; `part` leads to it within the answer."""

    def __init__(self, spec: FieldSpec, wanted: Any, part: Path) -> None:
        named = f"“{spec.label}”" + "".join(f", {one}," for one in part)
        super().__init__("wrong_type", f"{named} must be {_TYPES[_type_of(wanted)]}")
        self.part = part


_TYPES = {bool: "true or false", float: "a number", str: "a text", list: "a list", dict: "an object"}


def _type_of(value: Any) -> type:
    """JSON has one kind of number."""
    return float if type(value) is int else type(value)


def _refuse_other_types(spec: FieldSpec, raw: Any, payload: Any, part: Path) -> None:
    if _type_of(raw) is not _type_of(payload):
        raise WrongType(spec, payload, part)
    if isinstance(payload, dict):
        for name, value in payload.items():
            _refuse_other_types(spec, raw[name], value, (*part, name))


def _flatten(body: Mapping[str, Any], prefixes: set[Path], outer: Path) -> Iterator[tuple[Path, Any]]:
    for name, raw in body.items():
        path = (*outer, name)
        if path in prefixes and isinstance(raw, Mapping):
            yield from _flatten(raw, prefixes, path)
        else:
            yield path, raw


def _set_path(record: dict[str, Any], path: Path, value: Any) -> None:
    name, *rest = path
    if rest:
        inner = dict(record.get(name) or {})
        _set_path(inner, tuple(rest), value)
        value = inner or None
    if value is None:
        record.pop(name, None)
    else:
        record[name] = value
