"""`manage.py register_webhook`: subscribe to the service's events and test that they arrive."""

import sys
import time
import uuid
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse
from django.utils import timezone

from formation_portal import gateway
from formation_portal.gateway.errors import GatewayError, Unsupported
from formation_portal.relay.incoming_webhooks import subscribe
from formation_portal.relay.models import ReceivedEvent
from formation_portal.relay.refused_events import refusal_notices

SCHEMES = {"standard": "Standard Webhooks: webhook-signature", "plain": "X-Webhook-Signature"}
_WAIT_SECONDS = 15
_PAUSE_SECONDS = 0.5


class Command(BaseCommand):
    help = "Subscribe the portal to the formation service's events. The secret is kept in DATA_DIR and never shown."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--url", help="the receiver's address; by default that of PORTAL_URL")
        parser.add_argument("--anew", action="store_true", help="subscribe again, with a new secret")
        parser.add_argument("--scheme", choices=SCHEMES, help="how the service signs its events")
        parser.add_argument("--wait", type=int, default=_WAIT_SECONDS, help="seconds to wait for a test event; 0: none")

    def handle(self, *args: Any, **options: Any) -> None:
        scheme = options["scheme"] or self._ask_scheme()
        url = options["url"] or settings.PORTAL_URL + reverse("portal:service_events")
        service = gateway.service()
        try:
            subscribed = subscribe(service, url, is_renewal=options["anew"])
        except Unsupported:
            how = f"This formation service has no call to subscribe. Ask it another way to post events to {url}"
            if not settings.WEBHOOK_SECRET:
                raise CommandError(f"{how}, and set WEBHOOK_SECRET to the secret that signs them") from None
            self.stdout.write(f"{how}. WEBHOOK_SECRET is set: signed events are accepted.")
            self._check_scheme(scheme)
            return
        except GatewayError as error:
            raise CommandError(f"Not subscribed: {error}") from error
        if subscribed.is_new:
            self.stdout.write(f"Subscribed: events are posted to {url}")
        else:
            self.stdout.write(f"{url} is subscribed already")
        if self._check_scheme(scheme) and options["wait"] > 0:
            self._test(subscribed.webhook_id, seconds=options["wait"])

    def _ask_scheme(self) -> str:
        """Ask by which scheme the service signs its events; without a terminal, return WEBHOOK_SCHEME."""
        configured: str = settings.WEBHOOK_SCHEME
        if not sys.stdin.isatty():
            return configured
        for scheme, description in SCHEMES.items():
            self.stdout.write(f"  {scheme}: {description}")
        while True:
            answer = input(f"How does the service sign its events? [{configured}] ").strip().lower() or configured
            if answer in SCHEMES:
                return answer

    def _check_scheme(self, scheme: str) -> bool:
        """Print the setting for the scheme. Tell whether it is already set."""
        if scheme == settings.WEBHOOK_SCHEME:
            self.stdout.write(f"WEBHOOK_SCHEME={scheme} is set.")
            return True
        self.stdout.write(f"Set WEBHOOK_SCHEME={scheme}, restart the portal, and run this command again to test it.")
        return False

    def _test(self, webhook_id: str, *, seconds: int) -> None:
        began = timezone.now()
        try:
            record = gateway.service().send_test_event(webhook_id, key=uuid.uuid4().hex)
        except Unsupported:
            self.stdout.write(
                "This formation service cannot send a test event. manage.py doctor shows rejected events."
            )
            return
        except GatewayError as error:
            self.stderr.write(f"No test event was sent: {error}")
            return
        arrived = ReceivedEvent.objects.filter(received_at__gte=began)
        event_id = record.get("id")
        if isinstance(event_id, str):
            arrived = ReceivedEvent.objects.filter(event_id=event_id)
        deadline = time.monotonic() + seconds
        while True:
            if arrived.exists():
                self.stdout.write("The test event arrived.")
                return
            if notices := refusal_notices():
                self.stderr.write(f"The test event was rejected. {notices[0].text} {notices[0].remedy}")
                return
            if time.monotonic() >= deadline:
                break
            time.sleep(_PAUSE_SECONDS)
        where = "Does the portal run, and can the service reach it?"
        self.stderr.write(f"The test event did not arrive within {seconds} seconds. {where}")
