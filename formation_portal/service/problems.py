"""The service's refusals, as RFC 9457 problem+json (INTERFACE.md, "Envelopes, pages, errors")."""

import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from http import HTTPStatus
from typing import Any

from django.core.exceptions import (
    BadRequest,
    RequestDataTooBig,
    SuspiciousOperation,
    TooManyFieldsSent,
    TooManyFilesSent,
)
from django.http import Http404, HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.utils.encoding import escape_uri_path
from ninja.errors import HttpError, ValidationError
from pydantic_core import PydanticCustomError

from formation_portal.core.databases import BAD_DISK, DATABASE_AWAY, FULL_DISK

logger = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"

# The status of each stable code. Codes of single errors may be finer than these.
STATUS_OF = {
    "malformed_json": 400,
    "malformed_request": 400,
    "unauthorized": 401,
    "insufficient_scope": 403,
    "not_found": 404,
    "method_not_allowed": 405,
    "conflict": 409,
    "invalid_state": 409,
    "request_in_progress": 409,
    "schema_superseded": 409,
    "too_large": 413,
    "unsupported_media_type": 415,
    "validation_failed": 422,
    "unknown_field": 422,
    "party_type_not_allowed": 422,
    "too_many_parties": 422,
    "currency_not_allowed": 422,
    "not_applicable": 422,
    "requirements_not_met": 422,
    "idempotency_key_reused": 422,
    "rate_limited": 429,
    "internal_error": 500,
    "unavailable": 503,
}
# The code and sentence for each of pydantic's errors. Any other error has the code "invalid".
_PYDANTIC_ERRORS = {
    "missing": ("required", "{name} is missing."),
    "union_tag_not_found": ("required", "{name} is missing."),
    "extra_forbidden": ("unknown_field", "Leave out {name}. This call does not take it."),
    "union_tag_invalid": ("not_an_option", "{name} must be one of these: {options}."),
    "literal_error": ("not_an_option", "{name} must be one of these: {options}."),
    "enum": ("not_an_option", "{name} must be one of these: {options}."),
    "string_type": ("wrong_type", "{name} must be a text."),
    "bool_type": ("wrong_type", "{name} must be true or false."),
    "int_type": ("wrong_type", "{name} must be a whole number."),
    "int_from_float": ("wrong_type", "{name} must be a whole number."),
    "int_parsing": ("wrong_type", "{name} must be a whole number."),
    "float_type": ("wrong_type", "{name} must be a number."),
    "list_type": ("wrong_type", "{name} must be a list."),
    "dict_type": ("wrong_type", "{name} must be an object."),
    "model_type": ("wrong_type", "{name} must be an object."),
    "model_attributes_type": ("wrong_type", "{name} must be an object."),
    "string_too_long": ("too_long", "{name} must have at most {max_length:,} characters."),
    "too_long": ("too_long", "{name} must have at most {max_length:,} entries."),
    "too_short": ("too_short", "{name} must have at least one entry."),
    "greater_than_equal": ("out_of_range", "{name} must be {ge:,.16g} or more."),
    "less_than_equal": ("out_of_range", "{name} must be {le:,.16g} or less."),
}
# The most characters of a name, and entries of a list, that a sentence shows.
_MAX_NAME = 100
MAX_ENTRIES = 12
# If all errors have the same code and it is listed here, the whole problem has this code too.
_SHARED_CODES = frozenset({"unknown_field", "party_type_not_allowed", "currency_not_allowed"})
# The tags of body variants, which pydantic counts as a step of an error's path.
_VARIANT_TAGS = frozenset({"person", "corporate", "foundation", "entity", "party", "share_class"})
# The scope of csp-data that each id goes with.
_SCOPES = {"party_id": "party", "share_class_id": "share_class"}


@dataclass(frozen=True, slots=True)
class ErrorDetail:
    """An error of a request: a JSON pointer, a code, a sentence, the field's name and ids of records."""

    pointer: str
    code: str
    detail: str
    field_name: str | None = None
    ids: Mapping[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, str]:
        members = {"pointer": self.pointer}
        if self.field_name:
            members["field"] = self.field_name
        return {**members, "code": self.code, "detail": self.detail, **self.ids}


@dataclass(eq=False)
class ApiError(Exception):
    """A refusal, raised anywhere below a route and answered by the pipeline."""

    code: str
    detail: str
    _: KW_ONLY
    errors: Sequence[ErrorDetail] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    members: Mapping[str, Any] = field(default_factory=dict)


def refusal(code: str, detail: str) -> PydanticCustomError:
    """Make an error for a validator to raise, which is answered with this code and sentence. {name} is the member."""
    return PydanticCustomError(code, "{detail}", {"detail": detail})


def not_found(noun: str, *, member: str = "") -> ApiError:
    """Make a 404 for a record that does not exist or is another account's. `member` of the call has its id."""
    if not member:
        return ApiError("not_found", f"There is no such {noun}.")
    detail = f"There is no {noun} with this {member}."
    return ApiError("not_found", detail, errors=(ErrorDetail(pointer(member), "not_found", detail, member),))


def shown_name(name: object) -> str:
    """Shorten a name of the caller's for a sentence."""
    text = str(name)
    return text if len(text) <= _MAX_NAME else f"{text[:_MAX_NAME]}…"


def shown_list(entries: Sequence[object]) -> str:
    return ", ".join(map(shown_name, entries[:MAX_ENTRIES])) + (" …" if len(entries) > MAX_ENTRIES else "")


def invalid(details: Iterable[ErrorDetail], detail: str = "") -> ApiError:
    """Make a 422. If all errors have the same code, and it is one of _SHARED_CODES, the 422 has it too."""
    errors = tuple(details)
    codes = {error.code for error in errors}
    code = codes.pop() if len(codes) == 1 and codes <= _SHARED_CODES else "validation_failed"
    return ApiError(code, detail or errors[0].detail, errors=errors)


def raise_if_any(details: Iterable[ErrorDetail]) -> None:
    if errors := tuple(details):
        raise invalid(errors)


def pointer(*steps: object) -> str:
    """Return the JSON pointer (RFC 6901) along the steps."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


def error_response(request: HttpRequest, error: Exception) -> HttpResponse:
    """Answer any exception. An unexpected exception is logged, and the answer does not describe it."""
    problem = _api_error(error)
    status = HTTPStatus(STATUS_OF[problem.code])
    request_id = str(getattr(request, "request_id", ""))
    if status is HTTPStatus.INTERNAL_SERVER_ERROR:
        logger.error("request %s: %s", request_id, type(error).__name__, exc_info=error)
    body = {
        "type": f"urn:formation-service:problem:{problem.code}",
        "title": status.phrase,
        "status": status,
        "detail": problem.detail,
        "instance": escape_uri_path(request.path),
        "code": problem.code,
        "errors": [detail.as_json() for detail in problem.errors],
        "request_id": request_id,
        **problem.members,
    }
    return HttpResponse(json.dumps(body).encode(), status=status, content_type=MEDIA_TYPE, headers=problem.headers)


def _api_error(error: Exception) -> ApiError:
    if isinstance(error, ApiError):
        return error
    if isinstance(error, ValidationError):
        return invalid(map(_error_detail, error.errors))
    if isinstance(error, HttpError) and isinstance(error.__cause__, ApiError):
        # The parser's own refusal, which ninja wraps.
        return error.__cause__
    if isinstance(error, HttpError) and error.status_code == HTTPStatus.BAD_REQUEST:
        return ApiError("malformed_json", "The body is not valid JSON in UTF-8.")
    if isinstance(error, Http404):
        return ApiError("not_found", "There is nothing at this address.")
    if isinstance(error, TooManyFieldsSent | TooManyFilesSent):
        return ApiError("malformed_request", "The body has too many parts. Send only the members of this call.")
    if isinstance(error, RequestDataTooBig):
        return ApiError("malformed_request", "The members beside the file are too large.")
    if isinstance(error, MultiPartParserError):
        return ApiError("malformed_request", "The body is not valid multipart/form-data with its boundary.")
    if isinstance(error, BadRequest | SuspiciousOperation):
        return ApiError("malformed_request", "The request could not be read.")
    if isinstance(error, DATABASE_AWAY):
        logger.warning("the service's database did not answer: %s", error)
        return ApiError("unavailable", "The service cannot answer at the moment.", headers={"Retry-After": "5"})
    if isinstance(error, OSError) and error.errno in FULL_DISK | BAD_DISK:
        logger.error("the service's disk does not take it: %s", error.strerror)
        detail = "The service cannot reach its files at the moment."
        if error.errno in FULL_DISK:
            detail = "The service has no storage space at the moment."
        return ApiError("unavailable", detail, headers={"Retry-After": "60"})
    return ApiError("internal_error", "Something went wrong on our side.")


def _error_detail(error: Mapping[str, Any]) -> ErrorDetail:
    """Translate one of pydantic's errors."""
    # The first step is the source of the value. In a body the second is our parameter's name, the third may be a tag.
    source, *steps = error["loc"]
    if source == "body":
        steps = steps[1:]
        if steps and steps[0] in _VARIANT_TAGS:
            steps = steps[1:]
    if str(error["type"]).startswith("union_tag"):
        steps = [str(error["ctx"]["discriminator"]).strip("'()")]
    name = next((step for step in reversed(steps) if isinstance(step, str)), None)
    member = shown_name(name) if name else "The body"
    if name and isinstance(steps[-1], int):
        member = f"Entry {steps[-1] + 1} of {member}"
    values = error.get("ctx", {})
    code, sentence = _PYDANTIC_ERRORS.get(str(error["type"]), ("invalid", "{name} is not valid."))
    if name in _SCOPES and code == "unknown_field":
        sentence = f"Leave out {{name}}, or send scope={_SCOPES[name]} with it."
    if "detail" in values:
        code = str(error["type"])
        sentence = values["detail"]
    options = str(values.get("expected_tags", values.get("expected", ""))).replace("'", "").replace(" or ", ", ")
    detail = sentence.format_map({**values, "name": member, "options": options})
    return ErrorDetail(pointer(*steps), code, detail, name)
