"""The errors of a call to the service (INTERFACE.md, "Envelopes, pages, errors"). They hold no body and no key.

The classes answer two questions: may the service have carried out the call, and can another try help?
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from urllib3.exceptions import ConnectTimeoutError, SSLError

from formation_portal.contract.fields.values import Problem

# A longer text can't be a record's id.
MAX_ID_LENGTH = 200


@dataclass(frozen=True, slots=True)
class FieldProblem(Problem):
    """An objection of the service. `field` is the service's name for the field, or ""."""

    section: str = ""
    party_id: str = ""
    share_class_id: str = ""
    slot: str = ""


@dataclass(frozen=True, slots=True)
class ErrorBody:
    code: str = ""
    message: str = ""
    problems: tuple[FieldProblem, ...] = ()
    existing_id: str = ""


class GatewayError(Exception):
    """A call that failed. `explanation` is for people; `message` is the service's text, or else the explanation."""

    explanation = "The formation service could not do this"

    def __init__(
        self,
        message: str = "",
        *,
        status: int | None = None,
        error_body: ErrorBody | None = None,
        request_id: str = "",
        retry_after: float | None = None,
    ) -> None:
        error_body = error_body or ErrorBody()
        service_text = message or error_body.message
        self.message = service_text or self.explanation
        self.status = status
        self.code = error_body.code
        self.problems = error_body.problems
        self.existing_id = error_body.existing_id
        self.request_id = request_id
        self.retry_after = retry_after
        # For the log: the meaning, and the service's text.
        details = ": ".join(str(part) for part in (status, service_text) if part)
        super().__init__(f"{self.explanation} ({details})".removesuffix(" ()"))


class NoAnswer(GatewayError):
    """No usable answer. Another try can help, and is safe if the request was not sent."""


class NotSent(NoAnswer):
    """The request was not sent: the service did nothing."""

    explanation = "The formation service cannot be reached at the moment"


class NotConfigured(NotSent):
    """The settings name no service that can be called."""

    explanation = "The formation service is not set up here"


class Unclear(NoAnswer):
    """The request was sent and no reliable answer arrived: it may have been carried out."""

    explanation = "The formation service's answer did not arrive"


class Busy(GatewayError):
    """The service did nothing and asks for another try, after `retry_after` seconds if given."""

    explanation = "The formation service is busy"


class Refused(GatewayError):
    """The service refuses; `problems` names the fields. Another try cannot help."""

    explanation = "The formation service did not accept this"


class Conflict(Refused):
    """409: a record conflicts with an existing one, whose id is `existing_id` if the service gives it."""

    explanation = "The formation service already has a record that conflicts with this"


class NotAuthorised(GatewayError):
    """The key is wrong or lacks a scope, which the operator must correct."""

    explanation = "The formation service does not accept the portal's key"


class NotFound(GatewayError):
    """The service has no such record."""

    explanation = "The formation service has no such record"


class Unsupported(GatewayError):
    """A supplementary call that this service lacks."""

    explanation = "This formation service does not support this"


class NotThere(Unsupported, NotFound):
    """404 to a supplementary call: there is no such call, or no such record."""


class UnexpectedAnswer(GatewayError):
    """An unexpected answer, as from a service that lacks a documented call. The service did nothing."""

    explanation = "The formation service sent an answer that the portal cannot read"


class CatalogUnavailable(GatewayError):
    """There is no catalog, neither a new nor an old one. The cause is the error of the last call."""

    explanation = "The formation service’s catalog is not available at the moment"


class HandshakeFailed(SSLError):
    """Raised if TLS failed before anything was sent."""


class UnusableAnswer(Exception):
    """Raised for a successful status with an unusable answer: not JSON, without a record, or too large."""


# The meaning of a status for any call. 408 and most 5xx may come from a proxy that lost the answer.
_BY_STATUS: Mapping[int, type[GatewayError]] = {
    401: NotAuthorised,
    403: NotAuthorised,
    404: NotFound,
    405: UnexpectedAnswer,
    408: Unclear,
    409: Conflict,
    410: NotFound,
    425: Busy,
    429: Busy,
    501: UnexpectedAnswer,
}
# The meaning of a status for a supplementary call.
_BY_STATUS_IF_SUPPLEMENTARY: Mapping[int, type[GatewayError]] = {404: NotThere, 405: Unsupported, 501: Unsupported}


def error_class_for(
    status: int, *, is_supplementary: bool = False, code: str = "", has_retry_after: bool = False
) -> type[GatewayError]:
    """Return the class of error for a status, Unclear by default.

    503 means "not done" only with Retry-After: proxies also answer 503 if they lost the service's answer.
    """
    if (status == 409 and code == "request_in_progress") or (status == 503 and has_retry_after):
        return Busy
    if is_supplementary and status in _BY_STATUS_IF_SUPPLEMENTARY:
        return _BY_STATUS_IF_SUPPLEMENTARY[status]
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    if 400 <= status < 500:
        return Refused
    if 100 <= status < 200:
        return UnexpectedAnswer
    return Unclear


def error_class_of(error: object) -> type[GatewayError]:
    """Return NotSent if an exception, or a nested one, shows that nothing was sent, else Unclear."""
    while isinstance(error, Exception):
        if isinstance(error, ConnectTimeoutError | HandshakeFailed):
            return NotSent
        error = getattr(error, "reason", None) or next(iter(error.args), None)
    return Unclear
