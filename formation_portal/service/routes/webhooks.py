"""Subscriptions to events (supplement, "Events")."""

import json
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router

from formation_portal.service import identifiers
from formation_portal.service.auth import key_of
from formation_portal.service.idempotency import kept_as
from formation_portal.service.models import Account
from formation_portal.service.pagination import PER_PAGE, PageNumber, PerPage, page_of
from formation_portal.service.problems import Complaint, Refusal, invalid, not_found, pointer
from formation_portal.service.records import time_of
from formation_portal.service.routing import JSON, route
from formation_portal.service.shapes.base import One, Page, WebhookId
from formation_portal.service.shapes.webhook import NewWebhookOut, WebhookIn, WebhookOut
from formation_portal.service.webhooks.models import Subscription
from formation_portal.service.webhooks.signing import secret_of
from formation_portal.service.webhooks.targets import TargetRefused, refuse_at_once

router = Router(tags=["Webhooks"])

Wire = dict[str, Any]
READ, WRITE = "webhooks:read", "webhooks:write"
# Each event makes a row for each of them.
MOST = 20


@route(router, "POST", "/webhooks", scopes=WRITE, gives=One[NewWebhookOut], status=201, takes=JSON)
def add_webhook(request: HttpRequest, body: WebhookIn) -> HttpResponse:
    """**S** Subscribes an address to events. The answer shows the secret that they are signed with, this once."""
    try:
        refuse_at_once(body.url)
    except TargetRefused:
        detail = "The address must be a public https address, or in a network that the service's settings allow."
        raise invalid([Complaint(pointer("url"), "target_not_allowed", detail, "url")]) from None
    # Locked, so that requests at once don't exceed the number together.
    account = Account.objects.select_for_update().get(pk=key_of(request).account_id)
    if account.subscriptions.count() >= MOST:
        raise Refusal("conflict", f"You can have {MOST} webhooks. Remove one first.")
    row = account.subscriptions.create(url=body.url, events=body.events, description=body.description)
    record = webhook_record(row)
    response = _created({**record, "secret": secret_of(row.id)})
    # A secret is not for the database, so whoever repeats the request gets the record without it.
    return kept_as(response, _created({**record, "secret": None}).content)


def _created(record: Wire) -> HttpResponse:
    return HttpResponse(json.dumps({"data": record}), status=201, content_type=f"{JSON}; charset=utf-8")


@route(router, "GET", "/webhooks", scopes=READ, gives=Page[WebhookOut], refuses=(422,))
def list_webhooks(request: HttpRequest, page: PageNumber = 1, per_page: PerPage = PER_PAGE) -> Wire:
    """**S** The account's subscriptions, oldest first."""
    rows = Subscription.objects.filter(account_id=key_of(request).account_id).order_by("created_at", "id")
    return page_of(rows, page=page, per_page=per_page, out=lambda found: [webhook_record(row) for row in found])


@route(router, "GET", "/webhooks/{webhook_id}", scopes=READ, gives=One[WebhookOut])
def get_webhook(request: HttpRequest, webhook_id: WebhookId) -> Wire:
    """**S** One subscription."""
    return {"data": webhook_record(_mine(request, webhook_id))}


@route(router, "DELETE", "/webhooks/{webhook_id}", scopes=WRITE, gives=None, status=204)
def remove_webhook(request: HttpRequest, webhook_id: WebhookId) -> None:
    """**S** Ends a subscription, with whatever was still to be sent."""
    _mine(request, webhook_id).delete()


def webhook_record(row: Subscription) -> Wire:
    """A subscription, without its secret."""
    return {
        "id": row.id,
        "url": row.url,
        "events": row.events,
        "description": row.description,
        "created_at": time_of(row.created_at),
    }


def _mine(request: HttpRequest, webhook_id: str) -> Subscription:
    rows = Subscription.objects.filter(account_id=key_of(request).account_id, pk=webhook_id)
    row = rows.first() if identifiers.is_id(webhook_id, identifiers.WEBHOOK) else None
    if row is None:
        raise not_found("webhook")
    return row
