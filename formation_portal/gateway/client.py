"""The client of a formation service: the endpoints in use, JSON records in and out (INTERFACE.md, "Where answers go").

**S** marks supplementary calls, which raise Unsupported if the service lacks them. Every method may raise
GatewayError. `key` is the Idempotency-Key: the same for every try of the same action.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from typing import IO, Any
from urllib.parse import quote

from django.utils.http import parse_http_date_safe
from requests.adapters import BaseAdapter

from .calls import Answer, Caller, Limits
from .records import (
    Body,
    Record,
    Records,
    list_in,
    read_json,
    usable_answer,
    with_placeholder,
    without_placeholder,
)
from .transports.network import Timeouts


@dataclass(frozen=True, slots=True)
class CatalogAnswer:
    """The items of the catalog as they arrived, or None if the ETag is unchanged. `sent_at` is the service's time."""

    items: list[Any] | None
    etag: str
    max_age: int | None
    language: str = ""
    sent_at: datetime | None = None


# The members in which an entity's id may be.
ENTITY_ID_NAMES = ("id", "entity_id")


class Collection(Enum):
    """The records of one kind within an entity."""

    PARTIES = ("parties", "party_id", "id")
    SHARE_CLASSES = ("share-classes", "id", "share_class_id")
    SHAREHOLDINGS = ("shareholdings", "id", "shareholding_id")
    DOCUMENTS = ("documents", "id", "document_id")

    def __init__(self, step: str, *id_names: str) -> None:
        # The step of the URL's path, and the members in which a record's id may be.
        self.step = step
        self.id_names = id_names


class FormationService:
    """The formation service at one base URL. Safe to share between threads."""

    def __init__(
        self, *, base_url: str, read_key: Callable[[], str], adapter: BaseAdapter, limits: Limits | None = None
    ) -> None:
        self.base_url = base_url
        self._limits = limits or Limits()
        self._records = Records(Caller(base_url=base_url, read_key=read_key, adapter=adapter), self._limits)

    # Catalog

    def catalog(self, *, if_none_match: str = "", within: float | None = None, language: str = "") -> CatalogAnswer:
        """GET /catalog. `within` limits the seconds of the call; `language` is the requested language."""
        timeouts = self._timeouts(within)
        headers = {"If-None-Match": if_none_match, "Accept-Language": language}
        limit = self._limits.catalog_bytes
        answer = self._records.call(
            self._records.make("GET", "/catalog", headers=headers, timeouts=timeouts, limit=limit)
        )
        etag = answer.headers.get("ETag", "")
        answer_language = answer.headers.get("Content-Language", "").strip()
        if answer.status == 304:
            return CatalogAnswer(None, etag or if_none_match, _max_age(answer), answer_language)
        with usable_answer(answer):
            items = list_in(read_json(answer.body))
        return CatalogAnswer(items, etag, _max_age(answer), answer_language, _sent_at(answer))

    def _timeouts(self, within: float | None) -> Timeouts:
        """Return the usual time-outs, cut so that the whole call ends `within` this many seconds."""
        timeouts = self._limits.timeouts
        if within is None:
            return timeouts
        return Timeouts(min(timeouts.connect, within), min(timeouts.read, within), min(timeouts.whole, within))

    # Entities

    def create_entity(self, body: Body, *, key: str) -> Record:
        """POST /entities. The record has its `id`."""
        return self._records.create("/entities", body, key=key, id_names=ENTITY_ID_NAMES)

    def entities(self, *, client_reference: str = "") -> list[Record]:
        """**S** GET /entities, all pages."""
        return self._records.list_all("/entities", is_supplementary=True, client_reference=client_reference)

    def entity(self, entity_id: str, *, within: float | None = None) -> Record:
        """**S** GET /entities/{id}. `within` limits the seconds of the call."""
        return self._records.get(_path("entities", entity_id), timeouts=self._timeouts(within))

    def update_entity(self, entity_id: str, body: Body, *, key: str) -> Record:
        """**S** PATCH /entities/{id}."""
        return self._records.write("PATCH", _path("entities", entity_id), body, key=key, is_supplementary=True)

    def delete_entity(self, entity_id: str, *, key: str = "") -> None:
        """**S** DELETE /entities/{id}, in `draft` only."""
        self._records.delete(_path("entities", entity_id), key=key)

    def submit(self, entity_id: str, *, key: str) -> Record:
        """**S** POST /entities/{id}/submit."""
        return self._records.write("POST", _path("entities", entity_id, "submit"), {}, key=key, is_supplementary=True)

    def set_status(self, entity_id: str, status: str, note: str = "", *, key: str) -> Record:
        """**S** POST /entities/{id}/status."""
        path = _path("entities", entity_id, "status")
        return self._records.write("POST", path, {"status": status, "note": note}, key=key, is_supplementary=True)

    # Answers under csp_field_key

    def post_csp_data(
        self,
        entity_id: str,
        *,
        schema_id: str,
        data: Body,
        party_id: str | None = None,
        share_class_id: str | None = None,
        key: str,
    ) -> Record:
        """POST /entities/{id}/csp-data, for the entity, a party or a share class."""
        body: Record = {"csp_form_schema_id": schema_id, "csp_data": data, **_scope(party_id, share_class_id)}
        return self._records.write("POST", _path("entities", entity_id, "csp-data"), body, key=key)

    def csp_data(self, entity_id: str, *, party_id: str = "", share_class_id: str = "") -> Record:
        """**S** GET /entities/{id}/csp-data."""
        params = {"party_id": party_id, "share_class_id": share_class_id}
        return self._records.get(_path("entities", entity_id, "csp-data"), params=params)

    # Parties, share classes, shareholdings, documents

    def add_record(self, entity_id: str, collection: Collection, body: Body, *, key: str) -> Record:
        """POST /entities/{id}/parties, for example. The record has its id: `party_id` for a party, else `id`.

        The interface shows no id in the answer for a shareholding.
        """
        path = _path("entities", entity_id, collection.step)
        if collection is Collection.SHAREHOLDINGS:
            return self._records.write("POST", path, body, key=key)
        # Only a party has a first name.
        record = self._records.create(path, with_placeholder(body), key=key, id_names=collection.id_names)
        return without_placeholder(record)

    def records(self, entity_id: str, collection: Collection) -> list[Record]:
        """GET /entities/{id}/parties, all pages; **S** the lists of the other kinds."""
        is_supplementary = collection is not Collection.PARTIES
        path = _path("entities", entity_id, collection.step)
        return [
            without_placeholder(record) for record in self._records.list_all(path, is_supplementary=is_supplementary)
        ]

    def update_record(self, entity_id: str, collection: Collection, record_id: str, body: Body, *, key: str) -> Record:
        """**S** PATCH /entities/{id}/parties/{partyId}, for example."""
        path = _path("entities", entity_id, collection.step, record_id)
        record = self._records.write("PATCH", path, with_placeholder(body), key=key, is_supplementary=True)
        return without_placeholder(record)

    def remove_record(self, entity_id: str, collection: Collection, record_id: str, *, key: str = "") -> None:
        """**S** DELETE /entities/{id}/parties/{partyId}, for example."""
        self._records.delete(_path("entities", entity_id, collection.step, record_id), key=key)

    def upload_document(
        self,
        entity_id: str,
        *,
        file: IO[bytes] | bytes,
        filename: str,
        mime_type: str,
        document_key: str,
        party_id: str | None = None,
        key: str,
    ) -> Record:
        """POST /entities/{id}/documents as multipart/form-data; `document_key` is the slot's name verbatim."""
        call = self._records.make(
            "POST",
            _path("entities", entity_id, "documents"),
            form={"document_key": document_key, **_scope(party_id)},
            files={"file": (filename, file, mime_type)},
            timeouts=self._limits.upload_timeouts,
            key=key,
        )
        return self._records.send(call)

    # Events

    def add_webhook(self, body: Body, *, key: str) -> Record:
        """**S** POST /webhooks. The record has its `id`, and only in this answer the `secret`."""
        return self._records.create("/webhooks", body, key=key, id_names=("id",), is_supplementary=True)

    def webhooks(self) -> list[Record]:
        """**S** GET /webhooks, all pages."""
        return self._records.list_all("/webhooks", is_supplementary=True)

    def send_test_event(self, webhook_id: str, *, key: str) -> Record:
        """**S** POST /webhooks/{id}/test. The record has the event's `id`."""
        return self._records.write("POST", _path("webhooks", webhook_id, "test"), {}, key=key, is_supplementary=True)

    def remove_webhook(self, webhook_id: str, *, key: str = "") -> None:
        """**S** DELETE /webhooks/{id}."""
        self._records.delete(_path("webhooks", webhook_id), key=key)


def _path(*steps: str) -> str:
    return "".join(f"/{quote(step, safe='')}" for step in steps)


def _scope(party_id: str | None = None, share_class_id: str | None = None) -> dict[str, str]:
    if party_id:
        return {"scope": "party", "party_id": party_id}
    if share_class_id:
        return {"scope": "share_class", "share_class_id": share_class_id}
    return {}


def _sent_at(answer: Answer) -> datetime | None:
    """Return the time of an answer's `Date`, or None if there is no date or the answer comes from a cache."""
    seconds = parse_http_date_safe(answer.headers.get("Date", ""))
    if seconds is None or "Age" in answer.headers:
        return None
    return datetime.fromtimestamp(seconds, UTC)


def _max_age(answer: Answer) -> int | None:
    """Return the seconds for which an answer stays fresh; 0 if it must not be stored, None if it doesn't say."""
    for directive in answer.headers.get("Cache-Control", "").lower().split(","):
        name, _, seconds = directive.strip().partition("=")
        if name in ("no-store", "no-cache"):
            return 0
        if name == "max-age" and seconds.strip('"').isdecimal():
            return int(seconds.strip('"')[:9])
    return None
