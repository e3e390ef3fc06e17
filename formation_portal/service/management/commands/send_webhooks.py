"""`manage.py send_webhooks`: sends events to whoever subscribed, where no `serve` does it already."""

import signal
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from formation_portal.service.webhooks.sending import send_due, webhook_sender


class Command(BaseCommand):
    help = "Send events to subscribers until stopped. You can run several at once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="send what is due now, then exit")

    def handle(self, *args: Any, **options: Any) -> None:
        """Runs one sender until SIGTERM or SIGINT."""
        if options["once"]:
            self.stdout.write(f"{send_due()} events delivered")
            return
        steady = webhook_sender()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: steady.stop())
        steady.run()
