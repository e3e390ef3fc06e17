"""Subscribe to events, and list, test and end subscriptions (INTERFACE.md, "Events").

**S** marks the supplementary calls.
"""

import json
from typing import Annotated

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router
from pydantic import AfterValidator, BaseModel, Field

from formation_portal.contract.lifecycle import EventKind
from formation_portal.service import identifiers, queries
from formation_portal.service.auth import key_of
from formation_portal.service.idempotency import keep_as
from formation_portal.service.models import Account, Subscription
from formation_portal.service.pipeline import JSON, route
from formation_portal.service.problems import ApiError, ErrorDetail, invalid, pointer
from formation_portal.service.schemas import (
    One,
    Page,
    Paging,
    Pattern,
    RecordOut,
    StrictBody,
    Time,
    WebhookId,
    distinct,
)
from formation_portal.service.serializers import Json
from formation_portal.service.webhooks import events
from formation_portal.service.webhooks.posting import URL_LIMIT, URL_PATTERN, TargetRefused, refuse_obvious
from formation_portal.service.webhooks.sending import secret_of

Url = Annotated[
    str,
    Field(max_length=URL_LIMIT),
    Pattern(
        URL_PATTERN,
        "{name} must be a web address in lower case without user name or fragment, like https://example.com/events.",
        "not_a_url",
    ),
]
Description = Annotated[
    str,
    Field(max_length=500),
    Pattern(r"^[^\u0000-\u001f\u007f-\u009f]*$", "{name} must be one line without control characters."),
]


Kinds = Annotated[
    list[EventKind], Field(min_length=1, json_schema_extra={"uniqueItems": True}), AfterValidator(distinct)
]


class WebhookIn(StrictBody):
    """The body of POST /webhooks."""

    url: Url
    events: Kinds
    description: Description = ""


class WebhookOut(RecordOut):
    """A subscription, without its secret."""

    id: WebhookId
    url: str
    events: list[str]
    description: str
    created_at: Time


class NewWebhookOut(WebhookOut):
    """A new subscription. Its secret is shown once; a repeated request gets null instead."""

    secret: str | None


class WebhookTestOut(BaseModel):
    """A test event that is on its way."""

    id: str
    type: str


router = Router(tags=["Webhooks"])
READ = "webhooks:read"
WRITE = "webhooks:write"
# Each event makes a row for each subscription of its account.
MAX_WEBHOOKS = 20


@route(router, "POST", "/webhooks", scopes=WRITE, gives=One[NewWebhookOut], status=201, takes=JSON)
def add_webhook(request: HttpRequest, body: WebhookIn) -> HttpResponse:
    """**S** Subscribes an address to events. Only this answer shows the secret that the events are signed with."""
    try:
        refuse_obvious(body.url)
    except TargetRefused:
        detail = "url must be a public https address, or in a network that the service's settings allow."
        raise invalid([ErrorDetail(pointer("url"), "target_not_allowed", detail, "url")]) from None
    # Locked, so that simultaneous requests don't exceed the limit together.
    account = Account.objects.select_for_update().get(pk=key_of(request).account_id)
    if account.subscriptions.count() >= MAX_WEBHOOKS:
        raise ApiError("conflict", f"You can have {MAX_WEBHOOKS} webhooks. Remove one first.")
    row = account.subscriptions.create(url=body.url, events=body.events, description=body.description)
    record = WebhookOut.model_validate(row).model_dump()
    response = _created({**record, "secret": secret_of(row.id)})
    # The database stores no secret, so a repeated request gets the record without it.
    return keep_as(response, _created({**record, "secret": None}).content)


def _created(record: Json) -> HttpResponse:
    return HttpResponse(json.dumps({"data": record}), status=201, content_type=f"{JSON}; charset=utf-8")


@route(router, "GET", "/webhooks", scopes=READ, gives=Page[WebhookOut], refuses=(422,))
def list_webhooks(request: HttpRequest, paging: Query[Paging]) -> Json:
    """**S** The account's subscriptions, oldest first."""
    rows = Subscription.objects.filter(account_id=key_of(request).account_id).order_by("created_at", "id")
    return queries.paginate(rows, paging)


@route(router, "GET", "/webhooks/{webhook_id}", scopes=READ, gives=One[WebhookOut])
def get_webhook(request: HttpRequest, webhook_id: WebhookId) -> Json:
    """**S** One subscription."""
    return {"data": _subscription_of(request, webhook_id)}


@route(router, "POST", "/webhooks/{webhook_id}/test", scopes=WRITE, gives=One[WebhookTestOut], status=202)
def send_test_event(request: HttpRequest, webhook_id: WebhookId) -> Json:
    """**S** Sends one event of the type `webhook.test` to the subscription."""
    event = events.webhook_tested(_subscription_of(request, webhook_id))
    return {"data": {"id": event.id, "type": event.type}}


@route(router, "DELETE", "/webhooks/{webhook_id}", scopes=WRITE, gives=None, status=204)
def remove_webhook(request: HttpRequest, webhook_id: WebhookId) -> None:
    """**S** Ends a subscription. Events that were not sent yet are dropped."""
    _subscription_of(request, webhook_id).delete()


def _subscription_of(request: HttpRequest, webhook_id: str) -> Subscription:
    rows = Subscription.objects.filter(account_id=key_of(request).account_id)
    return queries.find_or_404(rows, webhook_id, identifiers.WEBHOOK, "webhook")
