"""Records and lists over calls, in whatever envelopes a service answers (supplement, "Envelopes").

A record or a list is bare or under `data`. What holds none raises UnusableAnswer; the table in errors.py says what that
means.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any, Self, TypeVar
from urllib.parse import urlsplit

from django.utils.dateparse import parse_date

from .calls import Answer, Call, Caller, Limits, error_of
from .errors import MAX_ID_LENGTH, UnusableAnswer
from .transports.network import Timeouts

# Characters that JSON can write and that neither a database nor a page can hold.
_UNSTORABLE = re.compile(rb"\\u(0000|[dD][89a-fA-F])")


def read_json(body: bytes) -> Any:
    """The answer as plain data; a null character or half a surrogate pair in a text becomes a question mark."""
    try:
        answer = json.loads(body, parse_constant=_refuse)
        return _storable(answer) if _UNSTORABLE.search(body) else answer
    except (ValueError, RecursionError) as error:
        raise UnusableAnswer("The answer is not JSON") from error


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def _storable(found: Any) -> Any:
    if isinstance(found, str):
        return found.replace("\x00", "?").encode("utf-8", "replace").decode()
    if isinstance(found, dict):
        return {_storable(name): _storable(value) for name, value in found.items()}
    return [_storable(one) for one in found] if isinstance(found, list) else found


def record_in(answer: Any) -> dict[str, Any]:
    """One record."""
    inner = answer.get("data", answer) if isinstance(answer, Mapping) else None
    if not isinstance(inner, dict):
        raise UnusableAnswer("The answer holds no record")
    return inner


def list_in(answer: Any) -> list[Any]:
    """A list of anything."""
    inner = answer.get("data") if isinstance(answer, Mapping) else answer
    if not isinstance(inner, list):
        raise UnusableAnswer("The answer holds no list")
    return inner


def records_in(answer: Any) -> list[dict[str, Any]]:
    """A list of records."""
    found = list_in(answer)
    if not all(isinstance(one, dict) for one in found):
        raise UnusableAnswer("The answer's list contains something other than records")
    return found


def pages_in(answer: Any) -> int:
    """How many pages a list has; 1 where it doesn't say."""
    meta = answer.get("meta") if isinstance(answer, Mapping) else None
    total = meta.get("total_pages") if isinstance(meta, Mapping) else None
    return total if isinstance(total, int) and not isinstance(total, bool) and total > 0 else 1


def with_id(record: dict[str, Any], *, name: str, others: tuple[str, ...] = ()) -> dict[str, Any]:
    """The record with its id under `name`, which may stand under other names; without one it can't be used."""
    found = next((record[one] for one in (name, *others) if record.get(one) is not None), None)
    if not isinstance(found, str) or not 0 < len(found) <= MAX_ID_LENGTH:
        raise UnusableAnswer(f"The answer's record has no usable {name}")
    return record | {name: found}


Record = dict[str, Any]
Body = Mapping[str, Any]
Read = TypeVar("Read")

_MAX_PAGES = 1_000

# The statuses of an entity whose submission waits for the customer's payment (supplement, "Payment").
PAYMENT_STATUSES = frozenset({"awaiting_payment", "pending_payment", "payment_required", "unpaid"})
_MAX_STATUS, _MAX_NOTE, _MAX_NUMBER, _MAX_URL = 80, 2_000, 80, 2_000


@dataclass(frozen=True, slots=True)
class EntityRecord:
    """The members of an entity's record that tell how far the service has come with it.

    A member that is absent, or of a shape that cannot be used, is empty.
    """

    id: str = ""
    status: str = ""
    note: str = ""
    company_number: str = ""
    incorporated_on: date | None = None
    pending_submission: bool | None = None
    payment_url: str = ""

    @classmethod
    def read(cls, record: Record) -> Self:
        """Read the members under every name that the supplement gives them."""
        pending = record.get("pending_submission")
        return cls(
            id=_first_text(record, ("id", "entity_id"), MAX_ID_LENGTH),
            status=_first_text(record, ("status",), _MAX_STATUS),
            note=_first_text(record, ("status_note", "feedback"), _MAX_NOTE),
            company_number=_first_text(record, ("company_number", "registration_number"), _MAX_NUMBER),
            incorporated_on=_day(record.get("incorporated_at")),
            pending_submission=pending if isinstance(pending, bool) else None,
            payment_url=next(
                filter(None, (_https_url(record.get(name)) for name in ("payment_url", "invoice_url"))), ""
            ),
        )

    @property
    def awaits_payment(self) -> bool:
        """Report that the service has taken the submission and carries it out only once the customer has paid."""
        return self.pending_submission is True or self.status in PAYMENT_STATUSES

    @property
    def payment_host(self) -> str:
        """The host of the address where the customer pays."""
        return urlsplit(self.payment_url).hostname or ""


def _first_text(record: Record, names: tuple[str, ...], limit: int) -> str:
    """Return the first member that has a visible text, cut to the limit, without control characters."""
    for name in names:
        value = record.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if isinstance(value, str):
            lines = ("".join(filter(str.isprintable, line)).strip() for line in value.splitlines())
            if text := "\n".join(lines).strip()[:limit]:
                return text
    return ""


def _day(value: object) -> date | None:
    """Return the day of a date or of a time in RFC 3339, as it is written."""
    try:
        return parse_date(value[:10]) if isinstance(value, str) else None
    except ValueError:
        return None


def _https_url(value: object) -> str:
    """Return an address that a page may link to: https, of a named host, without a user; else an empty text."""
    if not isinstance(value, str) or not value.isascii() or not value.isprintable() or " " in value:
        return ""
    try:
        parts = urlsplit(value)
    except ValueError:
        return ""
    is_usable = parts.scheme == "https" and parts.hostname and "@" not in parts.netloc and len(value) <= _MAX_URL
    return value if is_usable else ""


class Records:
    """Reads and writes records at paths below /api/v1."""

    def __init__(self, caller: Caller, limits: Limits) -> None:
        self.call = caller.call
        self._limits = limits

    def make(self, method: str, path: str, **more: Any) -> Call:
        """A call with the usual limits; `more` are the members of Call."""
        defaults: dict[str, Any] = {"timeouts": self._limits.timeouts, "limit": self._limits.answer_bytes}
        return Call(method=method, path=f"/api/v1{path}", **(defaults | more))

    def get(self, path: str, *, is_supplement: bool, timeouts: Timeouts | None = None, **params: str) -> Record:
        """One record."""
        timeouts = timeouts or self._limits.timeouts
        call = self.make("GET", path, is_supplement=is_supplement, timeouts=timeouts, params=_without_empty(params))
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
            record = record_in(read_json(answered))
            return with_id(record, name=id_name, others=others)

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
    return list_in(read_json(body))


def _record(body: bytes) -> Record:
    return record_in(read_json(body))


def record_if_any(body: bytes) -> Record:
    """For calls whose answer the interface doesn't show: a record, or an empty one for an empty body."""
    return record_in(read_json(body)) if body.strip() else {}


def _records_and_pages(body: bytes, *, left: int) -> tuple[list[Record], int]:
    """`left` are the bytes that the list's other pages may still have."""
    if left < 0:
        raise UnusableAnswer("The list is too long")
    answer = read_json(body)
    pages = pages_in(answer)
    if pages > _MAX_PAGES:
        raise UnusableAnswer(f"The list has {pages} pages")
    return records_in(answer), pages


def _without_empty(params: Mapping[str, str]) -> dict[str, str | int]:
    return {name: value for name, value in params.items() if value}
