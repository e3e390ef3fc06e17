"""What the service refuses, as data and as RFC 9457 problem+json (supplement, "Envelopes, pages, errors")."""

import dataclasses
import json
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from django.core.exceptions import BadRequest, SuspiciousOperation, TooManyFilesSent
from django.http import Http404, HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.utils.encoding import escape_uri_path
from ninja.errors import HttpError, ValidationError
from pydantic_core import PydanticCustomError

from formation_portal.core.databases import BAD_DISK, DATABASE_AWAY, FULL_DISK

logger = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"

# The stable codes and the status that each one has. Codes of single errors may be finer than these.
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
# Each of pydantic's errors as a code and a sentence of ours; any other error is only called invalid.
_PYDANTIC_ERRORS = {
    "missing": ("required", "{name} is missing."),
    "union_tag_not_found": ("required", "{name} is missing."),
    "extra_forbidden": ("unknown_field", "{name} is not known here."),
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
    "too_short": ("too_short", "{name} must have at least {min_length} entry."),
    "greater_than_equal": ("out_of_range", "{name} must be {ge:,.16g} or more."),
    "less_than_equal": ("out_of_range", "{name} must be {le:,.16g} or less."),
}
_SHARED_CODES = frozenset({"unknown_field", "party_type_not_allowed", "currency_not_allowed"})


@dataclass(frozen=True, slots=True)
class ErrorDetail:
    """One thing that is wrong with a request: where (a JSON pointer), which field, a code, and a sentence."""

    pointer: str
    code: str
    detail: str
    field: str | None = None
    where: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def as_json(self) -> dict[str, str]:
        """The member of `errors`; what is not known is left out."""
        named = {"field": self.field} if self.field else {}
        return {"pointer": self.pointer, **named, "code": self.code, "detail": self.detail, **self.where}


class ApiError(Exception):
    """A request that is not carried out. Raised anywhere below a route, answered by the pipeline."""

    def __init__(
        self,
        code: str,
        detail: str,
        *,
        errors: Iterable[ErrorDetail] = (),
        headers: Mapping[str, str] | None = None,
        members: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.errors = tuple(errors)
        self.headers = dict(headers or {})
        self.members = dict(members or {})

    @property
    def status(self) -> int:
        """The HTTP status of the code."""
        return STATUS_OF[self.code]


def refusal(code: str, detail: str) -> PydanticCustomError:
    """Make the error of a validator: it is answered with this code and sentence."""
    return PydanticCustomError(code, "{detail}", {"detail": detail})


def not_found(what: str) -> ApiError:
    """404: nothing here, or nothing that is yours; the answer doesn't say which."""
    return ApiError("not_found", f"There is no such {what}.")


def invalid(complaints: Iterable[ErrorDetail], detail: str = "") -> ApiError:
    """422 for what was sent; its code is that of the errors where they agree on one of the service's codes."""
    errors = tuple(complaints)
    codes = {complaint.code for complaint in errors}
    code = codes.pop() if len(codes) == 1 and codes <= _SHARED_CODES else "validation_failed"
    return ApiError(code, detail or errors[0].detail, errors=errors)


def raise_if_any(complaints: Iterable[ErrorDetail]) -> None:
    """Raises 422 with all the errors, if there are any."""
    if errors := tuple(complaints):
        raise invalid(errors)


def pointer(*steps: object) -> str:
    """A JSON pointer (RFC 6901) to the step within the step within …"""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


def error_response(request: HttpRequest, error: Exception) -> HttpResponse:
    """The problem+json for whatever went wrong; what nobody anticipated is logged and says nothing of itself."""
    problem = _api_error(error)
    if problem.status == HTTPStatus.INTERNAL_SERVER_ERROR:
        logger.error("request %s: %s", _request_id(request), type(error).__name__, exc_info=error)
    return problem_response(request, problem)


def problem_response(request: HttpRequest, problem: ApiError) -> HttpResponse:
    """The answer to a refused request."""
    body = {
        "type": f"urn:formation-service:problem:{problem.code}",
        "title": HTTPStatus(problem.status).phrase,
        "status": problem.status,
        "detail": problem.detail,
        "instance": escape_uri_path(request.path),
        "code": problem.code,
        "errors": [complaint.as_json() for complaint in problem.errors],
        "request_id": _request_id(request),
        **problem.members,
    }
    content = json.dumps(body).encode()
    return HttpResponse(content, status=problem.status, content_type=MEDIA_TYPE, headers=problem.headers)


def _request_id(request: HttpRequest) -> str:
    return str(getattr(request, "request_id", ""))


def _api_error(error: Exception) -> ApiError:
    if isinstance(error, ApiError):
        return error
    if isinstance(error, ValidationError):
        return invalid(_error_detail(one) for one in error.errors)
    if isinstance(error, HttpError) and error.status_code == HTTPStatus.BAD_REQUEST:
        return ApiError("malformed_json", "The body is not valid JSON in UTF-8.")
    if isinstance(error, Http404):
        return not_found("resource")
    if isinstance(error, BadRequest | SuspiciousOperation | MultiPartParserError | TooManyFilesSent):
        return ApiError("malformed_request", "The request could not be read.")
    if isinstance(error, DATABASE_AWAY):
        logger.warning("the service's database did not answer: %s", error)
        return ApiError("unavailable", "The service cannot answer at the moment.", headers={"Retry-After": "5"})
    if isinstance(error, OSError) and error.errno in FULL_DISK | BAD_DISK:
        # It passes, and nothing was done.
        logger.error("the service's disk does not take it: %s", error.strerror)
        detail = "The service cannot reach its files at the moment."
        if error.errno in FULL_DISK:
            detail = "The service has no storage space at the moment."
        return ApiError("unavailable", detail, headers={"Retry-After": "60"})
    return ApiError("internal_error", "Something went wrong on our side.")


def _error_detail(error: Mapping[str, Any]) -> ErrorDetail:
    # The first step is where the value came from; in a body the second is the name of our own parameter. Where a body
    # has one of several forms, pydantic counts the form's tag as the next step; a JSON pointer doesn't.
    source, *steps = error["loc"]
    if source == "body":
        steps = steps[2:] if steps[1:2] and steps[1] in _TAGS else steps[1:]
    if str(error["type"]).startswith("union_tag"):
        steps = [str(error["ctx"]["discriminator"]).strip("'()")]
    name = next((step for step in reversed(steps) if isinstance(step, str)), None)
    values = error.get("ctx", {})
    code, sentence = _PYDANTIC_ERRORS.get(str(error["type"]), ("invalid", "{name} is not valid."))
    if "detail" in values:
        code, sentence = str(error["type"]), "{detail}"
    options = str(values.get("expected_tags", values.get("expected", ""))).replace("'", "").replace(" or ", ", ")
    detail = sentence.format_map({**values, "name": name or "The body", "options": options})
    return ErrorDetail(pointer=pointer(*steps), field=name, code=code, detail=detail)


_TAGS = frozenset({"person", "corporate", "foundation", "entity", "party", "share_class"})
