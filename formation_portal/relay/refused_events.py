"""Count the events that the portal refuses, in one row for each reason. No body and no secret is kept."""

from collections.abc import Mapping
from datetime import timedelta
from typing import NamedTuple

from django.conf import settings
from django.db.models import F
from django.utils import timezone

from formation_portal.core.integers import parse_integer

from .models import RefusedEvents

STANDARD = "standard"
TOLERANCE_SECONDS = 300
Reason = RefusedEvents.Reason
# The headers with the signature and the time, by scheme.
_HEADERS = {
    STANDARD: ("webhook-signature", "webhook-timestamp"),
    "plain": ("X-Webhook-Signature", "X-Webhook-Timestamp"),
}
# How long a refusal is reported, unless the portal subscribes again earlier.
_REPORTED_FOR = timedelta(hours=24)
_REMEDIES = {
    Reason.NO_SECRET: "Run manage.py register_webhook, or set WEBHOOK_SECRET.",
    Reason.UNSIGNED: "Ask the formation service to sign its events.",
    Reason.OTHER_SCHEME: "Set WEBHOOK_SCHEME to the scheme of the formation service.",
    Reason.TIME: "Compare the clocks of both servers.",
    Reason.SIGNATURE: "Check WEBHOOK_SECRET, or run manage.py register_webhook --anew.",
    Reason.CONTENT: "Ask the formation service to send its events as application/json.",
}


def refusal_reason(headers: Mapping[str, str], *, has_secret: bool) -> RefusedEvents.Reason:
    """Return the reason why an event fails verification, as far as its headers show it."""
    if not has_secret:
        return Reason.NO_SECRET
    signature, timestamp = _HEADERS[settings.WEBHOOK_SCHEME]
    if not headers.get(signature):
        if any(headers.get(name) for name, _ in _HEADERS.values()):
            return Reason.OTHER_SCHEME
        return Reason.UNSIGNED
    sent_at = parse_integer(headers.get(timestamp, ""), digits=12)
    if sent_at is not None and abs(timezone.now().timestamp() - sent_at) > TOLERANCE_SECONDS:
        return Reason.TIME
    return Reason.SIGNATURE


def count_refused_event(reason: RefusedEvents.Reason) -> None:
    now = timezone.now()
    RefusedEvents.objects.get_or_create(reason=reason, defaults={"last_at": now})
    RefusedEvents.objects.filter(reason=reason).update(number=F("number") + 1, last_at=now)


def refused_events() -> dict[str, int]:
    return dict(RefusedEvents.objects.values_list("reason", "number"))


class RefusalNotice(NamedTuple):
    text: str
    remedy: str


def refusal_notices() -> list[RefusalNotice]:
    """Return a notice for each reason why events were refused within a day, in one database query."""
    rows = RefusedEvents.objects.filter(last_at__gte=timezone.now() - _REPORTED_FOR).order_by("-last_at")
    notices = []
    for row in rows:
        last = timezone.localtime(row.last_at)
        time = f"{last.day}\u00a0{last:%B}, {last:%H:%M:%S}"
        events = "1 event was" if row.number == 1 else f"{row.number:,} events were"
        text = f"{events} rejected because {row.get_reason_display()} (last on {time})."
        notices.append(RefusalNotice(text, _REMEDIES[Reason(row.reason)]))
    return notices
