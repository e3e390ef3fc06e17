"""Subscriptions on the wire (supplement, "Events")."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field, StringConstraints

from formation_portal.contract.lifecycle import EventKind
from formation_portal.service.schemas.base import LINE, StrictBody, Time, WebhookId, distinct
from formation_portal.service.webhooks.targets import URL_LIMIT, URL_PATTERN

Url = Annotated[str, StringConstraints(pattern=URL_PATTERN, max_length=URL_LIMIT)]
Description = Annotated[str, StringConstraints(pattern=LINE, max_length=500)]


Kinds = Annotated[
    list[EventKind], Field(min_length=1, json_schema_extra={"uniqueItems": True}), AfterValidator(distinct)
]


class WebhookIn(StrictBody):
    """The body of POST /webhooks."""

    url: Url
    events: Kinds
    description: Description = ""


class WebhookOut(BaseModel):
    """A subscription, without its secret."""

    id: WebhookId
    url: str
    events: list[str]
    description: str
    created_at: Time


class NewWebhookOut(WebhookOut):
    """A new subscription. Its secret is shown this once; the same request made again says null."""

    secret: str | None
