"""`manage.py webhooks`: send events to subscriptions. Any number of these processes may run."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from formation_portal.core.nodes.startup import prepare_worker
from formation_portal.service.webhooks.sending import send_due, webhook_sender


class Command(BaseCommand):
    help = "Send events to subscribers until stopped. You can run several at once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="send what is due now, then exit")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["once"]:
            self.stdout.write(f"{send_due()} events delivered")
            return
        prepare_worker(self.stdout)
        webhook_sender().run_until_signal()
