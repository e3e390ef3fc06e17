"""Records and lists over calls: what the methods of the client have in common."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from . import envelopes
from .calls import Answer, Call, Caller, Limits, error_of
from .errors import UnusableAnswer

Record = dict[str, Any]
Body = Mapping[str, Any]
Read = TypeVar("Read")

_MAX_PAGES = 1_000


class Records:
    """Reads and writes records at paths below /api/v1."""

    def __init__(self, caller: Caller, limits: Limits) -> None:
        self.call = caller.call
        self._limits = limits

    def make(self, method: str, path: str, **more: Any) -> Call:
        """A call with the usual limits; `more` are the members of Call."""
        defaults: dict[str, Any] = {"timeouts": self._limits.timeouts, "limit": self._limits.answer_bytes}
        return Call(method=method, path=f"/api/v1{path}", **(defaults | more))

    def get(self, path: str, *, is_supplement: bool, **params: str) -> Record:
        """One record."""
        call = self.make("GET", path, is_supplement=is_supplement, params=_without_empty(params))
        return read_answer(call, self.call(call), _record)

    def list_all(self, path: str, *, is_supplement: bool = False, **params: str) -> list[Record]:
        """A list with all its pages."""
        found: list[Record] = []
        page = pages = 1
        size = 0
        while page <= pages:
            # A service of another make may refuse parameters that it doesn't know, so none is sent without need.
            asked = _without_empty(params) | ({"page": page} if page > 1 else {})
            call = self.make("GET", path, is_supplement=is_supplement, params=asked)
            answer = self.call(call)
            size += len(answer.body)
            records, pages = read_answer(call, answer, partial(_records_and_pages, left=self._limits.list_bytes - size))
            found += records
            page += 1
        return found

    def write(self, method: str, path: str, body: Body, *, key: str, is_supplement: bool = False) -> Record:
        """A deed; the record that is answered, if any."""
        call = self.make(method, path, body=body, key=key, is_supplement=is_supplement)
        return read_answer(call, self.call(call), record_if_any)

    def create(
        self, path: str, body: Body, *, key: str, id_name: str, others: tuple[str, ...], is_supplement: bool = False
    ) -> Record:
        """A new record, which must come back with its id under one of the names; it is `id_name` afterwards."""
        call = self.make("POST", path, body=body, key=key, is_supplement=is_supplement)

        def read(answered: bytes) -> Record:
            record = envelopes.record_in(envelopes.read_json(answered))
            return envelopes.with_id(record, name=id_name, others=others)

        return read_answer(call, self.call(call), read)

    def update(self, path: str, body: Body, *, key: str) -> Record:
        """Change some members of a record."""
        return self.write("PATCH", path, body, key=key, is_supplement=True)

    def delete(self, path: str, *, key: str) -> None:
        """Remove a record."""
        self.call(self.make("DELETE", path, key=key, is_supplement=True))


def read_answer(call: Call, answer: Answer, read: Callable[[bytes], Read]) -> Read:
    """What the answer holds; an answer that can't be used is one more error of the call."""
    try:
        return read(answer.body)
    except UnusableAnswer as error:
        raise error_of(error, call=call, request_id=answer.request_id, status=answer.status) from error


def whole_list(body: bytes) -> list[Any]:
    """For the catalog, which is not paged."""
    return envelopes.list_in(envelopes.read_json(body))


def _record(body: bytes) -> Record:
    return envelopes.record_in(envelopes.read_json(body))


def record_if_any(body: bytes) -> Record:
    """For calls whose answer the interface doesn't show: a record, or an empty one for an empty body."""
    return envelopes.record_in(envelopes.read_json(body)) if body.strip() else {}


def _records_and_pages(body: bytes, *, left: int) -> tuple[list[Record], int]:
    """`left` are the bytes that the list's other pages may still have."""
    if left < 0:
        raise UnusableAnswer("The list is too long")
    answer = envelopes.read_json(body)
    pages = envelopes.pages_in(answer)
    if pages > _MAX_PAGES:
        raise UnusableAnswer(f"The list has {pages} pages")
    return envelopes.records_in(answer), pages


def _without_empty(params: Mapping[str, str]) -> dict[str, str | int]:
    return {name: value for name, value in params.items() if value}
