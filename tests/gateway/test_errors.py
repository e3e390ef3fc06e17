"""Every status and every exception has a meaning; nothing falls through."""

import ssl
from typing import Any

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
    assert error_class_for(503, has_retry_after=True) is Busy, "it was not done"


pool: Any = None
slow = MaxRetryError(pool, "/", ConnectTimeoutError(None, "slow"))
# As requests hands them out: one outer class for what never left and for what was lost.
ERRORS = [
    (requests.ConnectionError(MaxRetryError(pool, "/", NewConnectionError(pool, "refused"))), NotSent),
    (requests.ConnectionError(MaxRetryError(pool, "/", NameResolutionError("host", pool, OSError()))), NotSent),
    (requests.ConnectionError(slow), NotSent),
    (requests.ConnectTimeout(slow), NotSent),
    (requests.exceptions.SSLError(MaxRetryError(pool, "/", HandshakeFailed(ssl.SSLError("bad")))), NotSent),
    (requests.ConnectionError(MaxRetryError(pool, "/", SSLError("broke off in the middle"))), Unclear),
    (requests.ConnectionError(MaxRetryError(pool, "/", ProtocolError("closed"))), Unclear),
    (requests.ConnectionError(ProtocolError("Connection aborted.", ConnectionResetError(104, "reset"))), Unclear),
    (requests.ReadTimeout(ReadTimeoutError(pool, "/", "slow")), Unclear),
    (IncompleteRead(1, 2), Unclear),
    (UnusableAnswer("no JSON"), Unclear),
    (requests.TooManyRedirects(), Unclear),
]


@pytest.mark.parametrize(("error", "means"), ERRORS, ids=lambda value: repr(value)[:60])
def test_an_exception_is_judged_by_what_it_wraps(error: Exception, means: type[GatewayError]) -> None:
    assert error_class_of(error) is means
