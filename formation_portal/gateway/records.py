"""Read and write records and lists, bare or under `data` (INTERFACE.md, "Envelopes, pages, errors")."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from typing import Any, Self
from urllib.parse import urlsplit

from django.utils.dateparse import parse_date

from formation_portal.contract.canonical import ONE_NAME_PLACEHOLDER

from .calls import Answer, Call, Caller, Limits
from .errors import MAX_ID_LENGTH, Unclear, UnusableAnswer

# Characters that JSON can express, but that neither a database nor a page can hold.
_UNSTORABLE = re.compile(rb"\\u(0000|[dD][89a-fA-F])")


def read_json(body: bytes) -> Any:
    """Parse an answer; a null character or half a surrogate pair becomes a question mark. Raises UnusableAnswer."""
    try:
        answer = json.loads(body, parse_constant=_refuse)
        return _storable(answer) if _UNSTORABLE.search(body) else answer
    except (ValueError, RecursionError) as error:
        raise UnusableAnswer("The answer is not JSON") from error


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("\x00", "?").encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_storable(name): _storable(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_storable(item) for item in value]
    return value


def record_in(answer: Any) -> dict[str, Any]:
    if isinstance(answer, dict):
        answer = answer.get("data", answer)
    if not isinstance(answer, dict):
        raise UnusableAnswer("The answer holds no record")
    return answer


def list_in(answer: Any) -> list[Any]:
    if isinstance(answer, dict):
        answer = answer.get("data")
    if not isinstance(answer, list):
        raise UnusableAnswer("The answer holds no list")
    return answer


def records_in(answer: Any) -> list[dict[str, Any]]:
    records = list_in(answer)
    if not all(isinstance(record, dict) for record in records):
        raise UnusableAnswer("The answer's list contains something other than records")
    return records


def pages_in(answer: Any) -> int:
    """Return the number of pages of a list, 1 by default."""
    try:
        total = answer["meta"]["total_pages"]
    except (KeyError, TypeError):
        return 1
    return max(total, 1) if type(total) is int else 1


def with_id(record: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Find the id under any of the names; return the record with it under the first name. Raises UnusableAnswer."""
    record_id = next((record[name] for name in names if record.get(name) is not None), None)
    if not isinstance(record_id, str) or not 0 < len(record_id) <= MAX_ID_LENGTH:
        raise UnusableAnswer(f"The answer's record has no usable {names[0]}")
    return record | {names[0]: record_id}


Record = dict[str, Any]
Body = Mapping[str, Any]


def with_placeholder(body: Body) -> Record:
    """Return the body of a party with the placeholder for a first name that the person does not have."""
    return {**body, "first_name": ONE_NAME_PLACEHOLDER} if body.get("first_name") == "" else dict(body)


def without_placeholder(record: Record) -> Record:
    return record | {"first_name": ""} if record.get("first_name") == ONE_NAME_PLACEHOLDER else record


_MAX_PAGES = 1_000

# The statuses of an entity whose submission waits for the customer's payment (INTERFACE.md, "Payment").
PAYMENT_STATUSES = frozenset({"awaiting_payment", "pending_payment", "payment_required", "unpaid"})
_MAX_STATUS, _MAX_NOTE, _MAX_NUMBER, _MAX_URL = 80, 2_000, 80, 2_000


@dataclass(frozen=True, slots=True)
class EntityRecord:
    """The members of an entity's record that show its progress. An absent or unusable member is empty."""

    id: str = ""
    status: str = ""
    note: str = ""
    company_number: str = ""
    incorporated_on: date | None = None
    pending_submission: bool | None = None
    payment_url: str = ""

    @classmethod
    def read(cls, record: Record) -> Self:
        """Read the members under all names that services use."""
        pending = record.get("pending_submission")
        return cls(
            id=_first_text(record, ("id", "entity_id"), MAX_ID_LENGTH),
            status=_first_text(record, ("status",), _MAX_STATUS),
            note=_first_text(record, ("status_note", "feedback"), _MAX_NOTE),
            company_number=_first_text(record, ("company_number", "registration_number"), _MAX_NUMBER),
            incorporated_on=_day(record.get("incorporated_at")),
            pending_submission=pending if isinstance(pending, bool) else None,
            payment_url=_https_url(record.get("payment_url")) or _https_url(record.get("invoice_url")),
        )

    @property
    def awaits_payment(self) -> bool:
        """Tell whether the service waits for the customer's payment before it carries out the submission."""
        return self.pending_submission is True or self.status in PAYMENT_STATUSES

    @property
    def payment_host(self) -> str:
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
    """Return the date of an RFC 3339 date or time, in its own time zone; None for anything else."""
    try:
        return parse_date(value[:10]) if isinstance(value, str) else None
    except ValueError:
        return None


def _https_url(value: object) -> str:
    """Return a URL that a page may link to (https, with a host, without a user), else an empty text."""
    if not isinstance(value, str) or not value.isascii() or not value.isprintable() or " " in value:
        return ""
    try:
        parts = urlsplit(value)
    except ValueError:
        return ""
    if parts.scheme != "https" or not parts.hostname or "@" in parts.netloc or len(value) > _MAX_URL:
        return ""
    return value


class Records:
    def __init__(self, caller: Caller, limits: Limits) -> None:
        self.call = caller.call
        self._limits = limits

    def make(self, method: str, path: str, **more: Any) -> Call:
        """Return a call with the usual limits; `more` are members of Call."""
        defaults: dict[str, Any] = {"timeouts": self._limits.timeouts, "limit": self._limits.answer_bytes}
        return Call(method=method, path=f"/api/v1{path}", **(defaults | more))

    def get(self, path: str, **more: Any) -> Record:
        answer = self.call(self.make("GET", path, is_supplementary=True, **more))
        with usable_answer(answer):
            return record_in(read_json(answer.body))

    def list_all(self, path: str, *, is_supplementary: bool = False, **params: str) -> list[Record]:
        records: list[Record] = []
        page = pages = 1
        size = 0
        page_params: dict[str, str | int] = {**params}
        while page <= pages:
            answer = self.call(self.make("GET", path, is_supplementary=is_supplementary, params=page_params))
            size += len(answer.body)
            with usable_answer(answer):
                if size > self._limits.list_bytes:
                    raise UnusableAnswer("The list is too long")
                document = read_json(answer.body)
                pages = pages_in(document)
                if pages > _MAX_PAGES:
                    raise UnusableAnswer(f"The list has {pages} pages")
                records += records_in(document)
            page += 1
            page_params["page"] = page
        return records

    def write(self, method: str, path: str, body: Body, *, key: str, is_supplementary: bool = False) -> Record:
        """Send a body. Return the record in the answer, or an empty record."""
        return self.send(self.make(method, path, body=body, key=key, is_supplementary=is_supplementary))

    def send(self, call: Call) -> Record:
        """Make a call, and return the record in the answer; an empty record if the answer has no body."""
        answer = self.call(call)
        with usable_answer(answer):
            return record_in(read_json(answer.body)) if answer.body.strip() else {}

    def create(
        self, path: str, body: Body, *, key: str, id_names: tuple[str, ...], is_supplementary: bool = False
    ) -> Record:
        """Create a record. The answer must have an id under one of the names; the result has it under the first."""
        answer = self.call(self.make("POST", path, body=body, key=key, is_supplementary=is_supplementary))
        with usable_answer(answer):
            return with_id(record_in(read_json(answer.body)), id_names)

    def delete(self, path: str, *, key: str) -> None:
        self.call(self.make("DELETE", path, key=key, is_supplementary=True))


@contextmanager
def usable_answer(answer: Answer) -> Iterator[None]:
    """Turn an UnusableAnswer into Unclear, since the call may have been carried out."""
    try:
        yield
    except UnusableAnswer as error:
        raise Unclear(request_id=answer.request_id, status=answer.status) from error
