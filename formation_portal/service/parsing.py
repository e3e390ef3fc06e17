"""Parse bodies as strict JSON, and check their answers by a form's fields. "12" is not accepted as a number.

The contract's sentences about an answer are for people who see its label. The service names the member instead, and
describes the JSON value that would be right.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from django.http import HttpRequest
from ninja.parser import Parser

from formation_portal.contract import canonical
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.fields.bounds import NO_BOUNDS
from formation_portal.contract.fields.values import AnswerError
from formation_portal.service.entity_forms import HolderFields, Path, set_path
from formation_portal.service.problems import MAX_ENTRIES, ApiError, ErrorDetail, pointer, shown_list, shown_name


class StrictParser(Parser):
    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        """Parse a body. Raises ApiError for anything but JSON in UTF-8."""
        try:
            body: dict[str, Any] = json.loads(request.body.decode("utf-8"), parse_constant=_refuse_constant)
            # An escaped half of a surrogate pair is valid JSON, but it can't be encoded.
            json.dumps(body, ensure_ascii=False).encode("utf-8")
        except UnicodeDecodeError as error:
            raise _malformed(f"The body is not in UTF-8: byte {error.start + 1:,} cannot be read.") from None
        except UnicodeEncodeError:
            raise _malformed("The body has half of a surrogate pair. Send whole characters.") from None
        except json.JSONDecodeError as error:
            place = f"line {error.lineno:,}, column {error.colno:,}"
            raise _malformed(f"The body is not valid JSON: it cannot be read from {place}.") from None
        except RecursionError:
            raise _malformed("The body has too many objects or lists inside each other.") from None
        except ValueError:
            raise _malformed("The body has a number with too many digits.") from None
        return body


def _malformed(detail: str) -> ApiError:
    return ApiError("malformed_json", detail)


def _refuse_constant(constant: str) -> NoReturn:
    raise _malformed(f"The body is not valid JSON: it has {constant}. Send a number or null.")


@dataclass(frozen=True, slots=True)
class BoundedAnswer:
    """A new answer whose field has bounds: the name of its member, the pointer of its value, its field's label."""

    member: str
    pointer: str
    label: str


@dataclass(frozen=True, slots=True)
class ParsedAnswers:
    """A body's new values by path (None for a cleared answer), and the errors of its invalid values. `bounded` has the
    answers whose fields have bounds."""

    values: Mapping[Path, Any]
    errors: tuple[ErrorDetail, ...]
    bounded: Mapping[str, BoundedAnswer]

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
        answers = dict(_flatten(body, prefixes, ()))
        return self._parse(answers, askable.properties, (), elsewhere=(askable.csp, "Send it to csp-data instead."))

    def csp_data(self, body: Mapping[str, Any], askable: HolderFields) -> ParsedAnswers:
        answers: dict[Path, Any] = {(name,): raw for name, raw in body.items()}
        elsewhere = (askable.properties, "Send it as a property of the record instead.")
        return self._parse(answers, askable.csp, ("csp_data",), elsewhere=elsewhere)

    def _parse(
        self,
        answers: Mapping[Path, Any],
        specs: Mapping[Path, FieldSpec],
        within: Path,
        *,
        elsewhere: tuple[Mapping[Path, FieldSpec], str],
    ) -> ParsedAnswers:
        values: dict[Path, Any] = {}
        errors: list[ErrorDetail] = []
        bounded: dict[str, BoundedAnswer] = {}
        for path, raw in answers.items():
            member = shown_name(".".join(path))
            spec = specs.get(path)
            if spec is None:
                other_fields, advice = elsewhere
                if path not in other_fields:
                    advice = "This form does not ask for it."
                detail = f"Leave out {member}. {advice}"
                errors.append(ErrorDetail(pointer(*within, *path), "unknown_field", detail, ".".join(path)))
                continue
            try:
                values[path] = self._value(spec, raw, member)
            except AnswerError as error:
                part = error.part if isinstance(error, WrongType) else ()
                detail = _sentence(error, spec, raw, member)
                errors.append(ErrorDetail(pointer(*within, *path, *part), error.code, detail, spec.name))
                continue
            if spec.bounds != NO_BOUNDS:
                bounded[spec.name] = BoundedAnswer(member, pointer(*within, *path), spec.label)
        return ParsedAnswers(values, tuple(errors), bounded)

    def _value(self, spec: FieldSpec, raw: Any, member: str) -> Any:
        if spec.provided_by_agent:
            raise ServiceAnswerError("provided_by_agent", f"Leave out {member}. The agent answers it.")
        if raw is None:
            return None
        if isinstance(raw, Mapping):
            for part in spec.text_parts:
                if not isinstance(raw.get(part) or "", str):
                    raise WrongType("not_text", f"{part} of {member} must be a text.", (part,))
        value = spec.clean(raw)
        if value is None:
            # An empty text or list clears the answer. An empty object is refused, since its parts are missing.
            if isinstance(raw, Mapping):
                detail = f"{member} must be {_expected_value(spec)}, or null to clear it."
                raise ServiceAnswerError("incomplete", detail)
            return None
        if spec.refers_to_share_class and value not in self.share_classes:
            raise ServiceAnswerError("unknown_share_class", f"{member} must be {_expected_value(spec)}.")
        payload = spec.payload(value)
        if isinstance(raw, Mapping) and isinstance(payload, Mapping):
            # The interface requires all parts, even parts that the field could fill in.
            for part in payload:
                if part not in raw:
                    raise ServiceAnswerError("required", f"{part} of {member} is missing.")
        _refuse_other_types(spec, raw, payload, member, ())
        return payload


class ServiceAnswerError(AnswerError):
    """An error whose message names the member already."""


class WrongType(ServiceAnswerError):
    """A value of another JSON type than its field's. `part` is the value's path within the answer."""

    def __init__(self, code: str, message: str, part: Path) -> None:
        super().__init__(code, message)
        self.part = part


_TYPE_WORDS = {bool: "true or false", float: "a number", str: "a text", list: "a list", dict: "an object"}
_EXPECTED_CODES = {
    "countries": "this form's countries by their codes in ISO 3166-1, like CH",
    "currencies": "this form's currencies by their codes in ISO 4217, like USD",
}
_EXPECTED_PARTS = {
    "amount": "a number, like 10000",
    "currency": "a code in ISO 4217, like USD",
    "country": "a code in ISO 3166-1, like CH",
}
# The codes of answers of another form than their field's; the sentence says which value would be right.
_WRONG_FORM = frozenset(
    {
        "not_text",
        "not_a_number",
        "not_a_boolean",
        "not_a_list",
        "not_an_option",
        "not_a_date",
        "not_a_year",
        "incomplete_date",
        "not_a_country",
        "not_an_address",
        "not_an_amount",
        "not_an_email_address",
        "not_a_phone_number",
        "currency_missing",
        "currency_not_allowed",
    }
)


def _expected_value(spec: FieldSpec) -> str:
    """Describe a JSON value that answers the field."""
    if spec.needs_options:
        options = f"these: {shown_list(spec.options)}"
        if spec.listing and len(spec.options) > MAX_ENTRIES:
            options = _EXPECTED_CODES[spec.listing]
        return f"a list of some of {options}" if spec.many else f"one of {options}"
    if canonical.is_email(spec.canonical_field):
        return "an e-mail address as a text, like name@example.com"
    return spec.payload_hint


def _sentence(error: AnswerError, spec: FieldSpec, raw: Any, member: str) -> str:
    """Return the sentence about an answer that cannot be read."""
    if isinstance(error, ServiceAnswerError):
        return error.message
    if error.code == "control_characters":
        return f"Send {member} without control characters."
    if error.code == "unknown_part":
        unknown = [shown_name(part) for part in raw if part not in spec.parts]
        return f"Leave out {shown_list(unknown)} in {member}. Its parts are {shown_list(tuple(spec.parts))}."
    if error.code == "incomplete_address":
        missing = spec.wrong_parts(error.code, raw)
        return f"{' and '.join(missing)} of {member} {'is' if len(missing) == 1 else 'are'} missing."
    if error.code not in _WRONG_FORM:
        return named_by_member(error.message, label=spec.label, member=member) + "."
    if spec.needs_options and spec.many and isinstance(raw, list) and all(option in spec.options for option in raw):
        exclusive = next(option for option in raw if option in spec.exclusive_options)
        return f"{member} must have no other entry beside “{exclusive}”."
    if isinstance(raw, Mapping) and error.code in spec.wrong_part:
        part = spec.wrong_part[error.code]
        expected = _EXPECTED_PARTS[part]
        if part == "currency" and spec.allowed_currencies:
            expected = f"one of these: {shown_list(spec.allowed_currencies)}"
        return f"{part} of {member} must be {expected}."
    return f"{member} must be {_expected_value(spec)}."


def named_by_member(sentence: str, *, label: str, member: str) -> str:
    """Name the member of the body in the contract's sentence, which names the question."""
    return sentence.replace(f"“{label}”", member)


def _json_type(value: Any) -> type:
    """Return the type of a JSON value. JSON has a single type of number."""
    return float if type(value) is int else type(value)


def _refuse_other_types(spec: FieldSpec, raw: Any, payload: Any, member: str, part: Path) -> None:
    if _json_type(raw) is not _json_type(payload):
        expected = _TYPE_WORDS[_json_type(payload)] if part else _expected_value(spec)
        raise WrongType("wrong_type", f"{' of '.join((*part, member))} must be {expected}.", part)
    if isinstance(payload, dict):
        for name, value in payload.items():
            _refuse_other_types(spec, raw[name], value, member, (*part, name))


def _flatten(body: Mapping[str, Any], prefixes: set[Path], outer: Path) -> Iterator[tuple[Path, Any]]:
    for name, raw in body.items():
        path = (*outer, name)
        if path in prefixes and isinstance(raw, Mapping):
            yield from _flatten(raw, prefixes, path)
        else:
            yield path, raw
