"""The errors of a call to the service, and the table that chooses one.

The classes answer two questions: may the service have carried out the call, and can another try help? Every error has
status, code and request id; none has a body or a key. Supplement, "Envelopes, pages, errors".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from urllib3.exceptions import ConnectTimeoutError, SSLError

from formation_portal.contract.fields.values import Problem

# A longer text is no id of a record.
MAX_ID_LENGTH = 200


@dataclass(frozen=True, slots=True)
class FieldProblem(Problem):
    """An objection of the service. `field` is its own name for the field, or "".

    The supplement adds the section, party, share class or document slot of a requirement.
    """

    section: str = ""
    party_id: str = ""
    share_class_id: str = ""
    slot: str = ""


@dataclass(frozen=True, slots=True)
class ErrorBody:
    """The content of an error answer of any shape."""

    code: str = ""
    message: str = ""
    problems: tuple[FieldProblem, ...] = ()
    existing_id: str = ""


class GatewayError(Exception):
    """A call without a usable answer.

    `words` is the meaning for people; `message` is the service's text, or else the same words.
    """

    words = "The formation service could not do this"

    def __init__(
        self,
        message: str = "",
        *,
        status: int | None = None,
        error_body: ErrorBody | None = None,
        request_id: str = "",
        retry_after: float | None = None,
    ) -> None:
        self.error_body = error_body or ErrorBody()
        self.message = message or self.error_body.message or self.words
        self.status = status
        self.code = self.error_body.code
        self.problems: tuple[FieldProblem, ...] = self.error_body.problems
        self.existing_id = self.error_body.existing_id
        self.request_id = request_id
        self.retry_after = retry_after
        # For the log: the meaning, and the service's text.
        service_text = self.message if self.message != self.words else ""
        details = ": ".join(str(part) for part in (self.status, service_text) if part)
        super().__init__(f"{self.words} ({details})" if details else self.words)


class NoAnswer(GatewayError):
    """No usable answer. Another try can help, and is allowed if the request was not sent."""


class NotSent(NoAnswer):
    """The request was not sent: the service did nothing."""

    words = "The formation service cannot be reached at the moment"


class NotConfigured(NotSent):
    """The settings name no service that can be called."""

    words = "The formation service is not set up here"


class Unclear(NoAnswer):
    """The request was sent and no reliable answer arrived: it may have been carried out."""

    words = "The formation service's answer did not arrive"


class Busy(GatewayError):
    """The service did nothing and asks for another try, after `retry_after` seconds if it names them."""

    words = "The formation service is busy"


class Refused(GatewayError):
    """The service refuses; `problems` names the fields. Another try cannot help."""

    words = "The formation service did not accept this"


class Conflict(Refused):
    """409: a record conflicts with an existing one, whose id is `existing_id` if the service names it."""

    words = "The formation service already has a record that conflicts with this"


class NotAuthorised(GatewayError):
    """The key is wrong or lacks a scope, which the operator must correct."""

    words = "The formation service does not accept the portal's key"


class NotFound(GatewayError):
    """The service has no such record."""

    words = "The formation service has no such record"


class Unsupported(GatewayError):
    """A call that only the supplement names, and that this service lacks."""

    words = "This formation service does not support this"


class NotThere(Unsupported, NotFound):
    """404 to a call that only the supplement names: there is no such call, or no such record."""


class UnexpectedAnswer(GatewayError):
    """The service lacks a documented call, and did nothing."""

    words = "The formation service sent an answer that the portal cannot read"


class CatalogUnavailable(GatewayError):
    """There is no catalog, neither a new nor an old one. The cause is the error of the last call."""

    words = "The formation service’s catalog is not available at the moment"


class HandshakeFailed(SSLError):
    """Evidence: TLS failed before anything was sent."""


class UnusableAnswer(Exception):
    """Evidence: a successful status with an unusable answer: no JSON, no record, too large."""


Evidence = int | range | type[Exception]


@dataclass(frozen=True, slots=True)
class ErrorRule:
    """A kind of evidence and the error that it means. None fits any value."""

    evidence: Evidence
    means: type[GatewayError]
    code: str | None = None
    is_supplement: bool | None = None
    has_retry_after: bool | None = None


# The first rule that fits decides. 503 means "not done" only with the Retry-After that the supplement promises: proxies
# answer 503 also for requests whose answer they lost.
ERROR_RULES: Sequence[ErrorRule] = (
    ErrorRule(ConnectTimeoutError, NotSent),
    ErrorRule(HandshakeFailed, NotSent),
    ErrorRule(range(100, 200), UnexpectedAnswer),
    ErrorRule(range(300, 400), Unclear),
    ErrorRule(401, NotAuthorised),
    ErrorRule(403, NotAuthorised),
    ErrorRule(404, NotThere, is_supplement=True),
    ErrorRule(404, NotFound),
    ErrorRule(405, Unsupported, is_supplement=True),
    ErrorRule(405, UnexpectedAnswer),
    ErrorRule(408, Unclear),
    ErrorRule(409, Busy, code="request_in_progress"),
    ErrorRule(409, Conflict),
    ErrorRule(410, NotFound),
    ErrorRule(425, Busy),
    ErrorRule(429, Busy),
    ErrorRule(range(400, 500), Refused),
    ErrorRule(501, Unsupported, is_supplement=True),
    ErrorRule(501, UnexpectedAnswer),
    ErrorRule(503, Busy, has_retry_after=True),
    ErrorRule(range(500, 600), Unclear),
    ErrorRule(Exception, Unclear),
)


def error_class_for(
    evidence: int | Exception, *, is_supplement: bool = False, code: str = "", has_retry_after: bool = False
) -> type[GatewayError]:
    """Return the class of error for a status or an exception, Unclear by default."""
    for rule in ERROR_RULES:
        if (
            _fits(rule.evidence, evidence)
            and rule.code in (None, code)
            and rule.is_supplement in (None, is_supplement)
            and rule.has_retry_after in (None, has_retry_after)
        ):
            return rule.means
    return Unclear


def _fits(expected: Evidence, evidence: int | Exception) -> bool:
    if isinstance(expected, type):
        return isinstance(evidence, Exception) and any(isinstance(error, expected) for error in _chain(evidence))
    return evidence in expected if isinstance(expected, range) else evidence == expected


def _chain(error: Exception) -> Iterator[Exception]:
    """Yield an error and those in it: requests raises the same ConnectionError for "refused" and "answer lost"."""
    yield error
    inner = getattr(error, "reason", None) or next(iter(error.args), None)
    if isinstance(inner, Exception):
        yield from _chain(inner)
