"""`manage.py register_webhook`: subscribes us to the service's events, so that we read at once what has changed."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse

from formation_portal import gateway
from formation_portal.gateway.errors import GatewayError, Unsupported
from formation_portal.relay.incoming_webhooks import subscribe


class Command(BaseCommand):
    help = "Subscribe the portal to the formation service's events. The secret is kept in DATA_DIR and never shown."

    def add_arguments(self, parser: CommandParser) -> None:
        """Where events are to be posted, and whether with a new secret."""
        parser.add_argument("--url", help="the receiver's address; by default that of PORTAL_URL")
        parser.add_argument("--anew", action="store_true", help="subscribe again, with a new secret")

    def handle(self, *args: Any, **options: Any) -> None:
        """Says what came of it."""
        url = options["url"] or settings.PORTAL_URL + reverse("portal:service_events")
        try:
            is_new = subscribe(gateway.service(), url, anew=options["anew"])
        except Unsupported:
            how = f"This formation service has no call to subscribe. Ask it another way to post events to {url}"
            if not settings.WEBHOOK_SECRET:
                raise CommandError(f"{how}, and set WEBHOOK_SECRET to the secret that signs them") from None
            self.stdout.write(f"{how}. WEBHOOK_SECRET is set: signed events are accepted.")
            return
        except GatewayError as error:
            raise CommandError(f"Not subscribed: {error}") from error
        self.stdout.write(f"Subscribed: events are posted to {url}" if is_new else f"{url} is subscribed already")
