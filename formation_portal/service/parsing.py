"""Parse bodies as strict JSON, and check their answers by a form's fields. "12" is not accepted as a number."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from django.http import HttpRequest
from ninja.parser import Parser

from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.fields.bounds import NO_BOUNDS
from formation_portal.contract.fields.values import AnswerError
from formation_portal.service.entity_forms import HolderFields, Path, set_path
from formation_portal.service.problems import ErrorDetail, pointer


class StrictParser(Parser):
    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        """Parse a body. Raises ValueError or RecursionError, which ninja answers with 400."""
        body: dict[str, Any] = json.loads(request.body.decode("utf-8"), parse_constant=_refuse_constant)
        # An escaped half of a surrogate pair is valid JSON, but it can't be encoded.
        json.dumps(body, ensure_ascii=False).encode("utf-8")
        return body


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


@dataclass(frozen=True, slots=True)
class ParsedAnswers:
    """A body's new values by path (None for a cleared answer), and the errors of its invalid values. `bounded` maps the
    answers whose fields have bounds to the pointers of their values."""

    values: Mapping[Path, Any]
    errors: tuple[ErrorDetail, ...]
    bounded: Mapping[str, str]

    def merged_into(self, record: Mapping[str, Any]) -> dict[str, Any]:
        changed = dict(record)
        for path, value in self.values.items():
            set_path(changed, path, value)
        return changed


@dataclass(frozen=True, slots=True)
class AnswerParser:
    """A parser of a record's answers. `share_classes` are the ids that an answer may name."""

    share_classes: frozenset[str] = frozenset()

    def properties(self, body: Mapping[str, Any], askable: HolderFields) -> ParsedAnswers:
        """Parse the properties of a body, where properties with a common path prefix are members of the same object."""
        prefixes = {path[:-1] for path in askable.properties if len(path) > 1}
        return self._parse(dict(_flatten(body, prefixes, ())), askable.properties, ())

    def csp_data(self, body: Mapping[str, Any], askable: HolderFields) -> ParsedAnswers:
        return self._parse({(name,): raw for name, raw in body.items()}, askable.csp, ("csp_data",))

    def _parse(self, answers: Mapping[Path, Any], specs: Mapping[Path, FieldSpec], within: Path) -> ParsedAnswers:
        values: dict[Path, Any] = {}
        errors: list[ErrorDetail] = []
        bounded: dict[str, str] = {}
        for path, raw in answers.items():
            spec = specs.get(path)
            name = spec.name if spec else ".".join(path)
            try:
                values[path] = self._value(spec, raw)
            except AnswerError as error:
                part = error.part if isinstance(error, WrongType) else ()
                errors.append(ErrorDetail(pointer(*within, *path, *part), error.code, error.message, name))
                continue
            if spec and spec.bounds != NO_BOUNDS:
                bounded[name] = pointer(*within, *path)
        return ParsedAnswers(values, tuple(errors), bounded)

    def _value(self, spec: FieldSpec | None, raw: Any) -> Any:
        if spec is None:
            raise AnswerError("unknown_field", "This form doesn't ask for this answer")
        if spec.provided_by_agent:
            raise AnswerError("provided_by_agent", f"“{spec.label}” is answered by the agent; leave it out")
        if raw is None:
            return None
        value = spec.clean(raw)
        if value is None:
            # An empty text or list clears the answer. An empty object is refused, since its parts are missing.
            if isinstance(raw, Mapping):
                raise AnswerError("incomplete", f"“{spec.label}” has no parts; send null to clear it")
            return None
        if spec.refers_to_share_class and value not in self.share_classes:
            raise AnswerError("unknown_share_class", f"“{spec.label}” is not a share class of this entity")
        payload = spec.payload(value)
        if isinstance(raw, Mapping) and isinstance(payload, Mapping):
            # The interface requires all parts, even parts that the field could fill in.
            for part in payload:
                if part not in raw:
                    raise AnswerError("required", f"“{spec.label}” is missing {part}")
        _refuse_other_types(spec, raw, payload, ())
        return payload


class WrongType(AnswerError):
    """A value of another JSON type than its field's. `part` is the value's path within the answer."""

    def __init__(self, spec: FieldSpec, payload: Any, part: Path) -> None:
        name = f"“{spec.label}”" + "".join(f", {step}," for step in part)
        super().__init__("wrong_type", f"{name} must be {_TYPE_WORDS[_json_type(payload)]}")
        self.part = part


_TYPE_WORDS = {bool: "true or false", float: "a number", str: "a text", list: "a list", dict: "an object"}


def _json_type(value: Any) -> type:
    """Return the type of a JSON value. JSON has a single type of number."""
    return float if type(value) is int else type(value)


def _refuse_other_types(spec: FieldSpec, raw: Any, payload: Any, part: Path) -> None:
    if _json_type(raw) is not _json_type(payload):
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
