"""Every status and every exception has a meaning; nothing falls through."""

import ssl
from collections.abc import Iterator

import pytest
import requests
from urllib3.exceptions import (
    ConnectTimeoutError,
    IncompleteRead,
    MaxRetryError,
    NameResolutionError,
    NewConnectionError,
    ProtocolError,
    ReadTimeoutError,
    SSLError,
)

from formation_portal.gateway.errors import (
    Busy,
    Conflict,
    GatewayError,
    HandshakeFailed,
    NotAuthorised,
    NotFound,
    NotSent,
    NotThere,
    Refused,
    Unclear,
    UnexpectedAnswer,
    Unsupported,
    UnusableAnswer,
    error_class_for,
    error_class_of,
)

BY_STATUS = {
    **dict.fromkeys(range(100, 200), UnexpectedAnswer),
    **dict.fromkeys(range(300, 400), Unclear),
    **dict.fromkeys(range(400, 500), Refused),
    **dict.fromkeys(range(500, 600), Unclear),
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
TO_A_SUPPLEMENTS_CALL = BY_STATUS | {404: NotThere, 405: Unsupported, 501: Unsupported}


def test_every_status_means_one_thing() -> None:
    assert {status: error_class_for(status) for status in BY_STATUS} == BY_STATUS
    assert {status: error_class_for(status, is_supplementary=True) for status in BY_STATUS} == TO_A_SUPPLEMENTS_CALL
    assert {error_class_for(status) for status in (0, 99, 200, 600)} == {Unclear}
    assert error_class_for(409, code="request_in_progress") is Busy, "which is still running, and no conflict"


def test_503_counts_as_not_done_only_where_the_service_says_when_to_come_back() -> None:
    assert error_class_for(503, has_retry_after=True) is Busy
    assert error_class_for(503) is Unclear


def _wrapped() -> Iterator[tuple[Exception, type[GatewayError]]]:
    """As requests hands them out: one outer class for what never left and for what was lost."""
    pool = None
    for reason, means in (
        (NewConnectionError(None, "refused"), NotSent),  # type: ignore[arg-type]
        (NameResolutionError("host", None, OSError("unknown")), NotSent),  # type: ignore[arg-type]
        (ConnectTimeoutError(None, "slow"), NotSent),
        (HandshakeFailed(ssl.SSLError("bad certificate")), NotSent),
        (SSLError("broke off in the middle"), Unclear),
        (ProtocolError("closed"), Unclear),
    ):
        yield requests.ConnectionError(MaxRetryError(pool, "/", reason)), means  # type: ignore[arg-type]
    yield requests.exceptions.SSLError(MaxRetryError(pool, "/", HandshakeFailed(OSError()))), NotSent  # type: ignore[arg-type]
    yield requests.ConnectTimeout(MaxRetryError(pool, "/", ConnectTimeoutError(None, "slow"))), NotSent  # type: ignore[arg-type]
    lost = ProtocolError("Connection aborted.", ConnectionResetError(104, "reset"))
    yield requests.ConnectionError(lost), Unclear
    yield requests.ReadTimeout(ReadTimeoutError(pool, "/", "slow")), Unclear  # type: ignore[arg-type]
    for bare in (IncompleteRead(1, 2), UnusableAnswer("no JSON"), TimeoutError(), requests.TooManyRedirects()):
        yield bare, Unclear


@pytest.mark.parametrize(("error", "means"), list(_wrapped()), ids=lambda value: repr(value)[:60])
def test_an_exception_is_judged_by_what_it_wraps(error: Exception, means: type[GatewayError]) -> None:
    assert error_class_of(error) is means
