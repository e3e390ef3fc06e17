"""What can go wrong with a call to the service: one tree, and the one table that decides.

The tree is split on two questions: may the service have done what was asked, and can trying again help? Every error
keeps status, code and request id; none holds a body or a key. Supplement, "Envelopes, pages, errors".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from urllib3.exceptions import ConnectTimeoutError, SSLError

from formation_portal.contract.fields.values import Problem

# The longest id of a record that is taken for one.
MAX_ID_LENGTH = 200


@dataclass(frozen=True, slots=True)
class FieldProblem(Problem):
    """One thing that the service objects to. `field` is its own name for it; empty where it names none.

    What the supplement adds for a requirement: the section, party, share class or document slot that it is about.
    """

    section: str = ""
    party_id: str = ""
    share_class_id: str = ""
    slot: str = ""


@dataclass(frozen=True, slots=True)
class ErrorBody:
    """What an error answer says, whatever its shape."""

    code: str = ""
    message: str = ""
    problems: tuple[FieldProblem, ...] = ()
    existing_id: str = ""


class GatewayError(Exception):
    """Any call that did not bring a usable answer.

    `words` says for people what it means; `message` what the service said, or else the same words.
    """

    words = "The formation service could not do this"

    def __init__(
        self,
        message: str = "",
        *,
        status: int | None = None,
        complaint: ErrorBody | None = None,
        request_id: str = "",
        retry_after: float | None = None,
    ) -> None:
        self.error_body = complaint or ErrorBody()
        self.message = message or self.error_body.message or self.words
        self.status = status
        self.code = self.error_body.code
        self.problems: tuple[FieldProblem, ...] = self.error_body.problems
        self.existing_id = self.error_body.existing_id
        self.request_id = request_id
        self.retry_after = retry_after
        # For the log: what it means, and what the service said.
        said = self.message if self.message != self.words else ""
        details = ": ".join(str(part) for part in (self.status, said) if part)
        super().__init__(f"{self.words} ({details})" if details else self.words)


class NoAnswer(GatewayError):
    """No answer that can be used. Trying again can help; whether it may, depends on which of the two it is."""


class NotSent(NoAnswer):
    """The request never left: the service surely did nothing."""

    words = "The formation service cannot be reached at the moment"


class NotConfigured(NotSent):
    """The operator's settings name no service that could be called."""

    words = "The formation service is not set up here"


class Unclear(NoAnswer):
    """The request left, and nothing that can be trusted came back: it may have been done."""

    words = "The formation service's answer did not arrive"


class Busy(GatewayError):
    """The service did nothing and asks to come back, after `retry_after` seconds where it says so."""

    words = "The formation service is busy"


class Refused(GatewayError):
    """The service understood and refuses; `problems` names the fields. Trying the same again can't help."""

    words = "The formation service did not accept this"


class Conflict(Refused):
    """409: it stands against what is there already; `existing_id` names the record where the service does."""

    words = "The formation service already has a record that conflicts with this"


class NotAuthorised(GatewayError):
    """The key is wrong or lacks a scope: an operator's matter, and never the customer's fault."""

    words = "The formation service does not accept the portal's key"


class NotFound(GatewayError):
    """The service has no such record."""

    words = "The formation service has no such record"


class Unsupported(GatewayError):
    """A call that only the supplement names, and that this service doesn't have."""

    words = "This formation service does not support this"


class NotThere(Unsupported, NotFound):
    """404 to a call that only the supplement names: no such call or no such record, which nobody can tell apart."""


class UnexpectedAnswer(GatewayError):
    """The service broke the contract, and did nothing: it doesn't have a documented call."""

    words = "The formation service sent an answer that the portal cannot read"


class CatalogUnavailable(GatewayError):
    """There is no catalog to show, neither a new one nor an old one. Its cause is the error of the last call."""

    words = "The formation service’s catalog is not available at the moment"


class HandshakeFailed(SSLError):
    """Evidence: TLS failed before anything was sent."""


class UnusableAnswer(Exception):
    """Evidence: a successful status with an answer that can't be used: no JSON, no record, too large."""


Evidence = int | range | type[Exception]


@dataclass(frozen=True, slots=True)
class ErrorRule:
    """One kind of evidence and what it means. None leaves a column open."""

    evidence: Evidence
    means: type[GatewayError]
    code: str | None = None
    is_supplement: bool | None = None
    has_retry_after: bool | None = None


# The first row that fits decides. 503 counts as "not done" only with the Retry-After that the supplement promises:
# proxies answer it also for requests whose answer they lost.
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
    """The class for a status or for the exception that a call ended in; what no row knows is unclear."""
    for row in ERROR_RULES:
        if (
            _fits(row.evidence, evidence)
            and row.code in (None, code)
            and row.is_supplement in (None, is_supplement)
            and row.has_retry_after in (None, has_retry_after)
        ):
            return row.means
    return Unclear


def _fits(wanted: Evidence, evidence: int | Exception) -> bool:
    if isinstance(wanted, type):
        return isinstance(evidence, Exception) and any(isinstance(one, wanted) for one in _chain(evidence))
    return evidence in wanted if isinstance(wanted, range) else evidence == wanted


def _chain(error: Exception) -> Iterator[Exception]:
    """The error and what it wraps: requests raises the same ConnectionError for "refused" and for "answer lost"."""
    yield error
    inner = getattr(error, "reason", None) or next(iter(error.args), None)
    if isinstance(inner, Exception):
        yield from _chain(inner)
