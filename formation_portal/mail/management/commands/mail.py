"""`manage.py mail`: send e-mails from the outbox, and run the hourly tasks. Several may run at once."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from formation_portal.core.background import minute_tasks
from formation_portal.core.nodes.startup import prepare_worker
from formation_portal.mail.worker import mail_sender, send_due


class Command(BaseCommand):
    help = "Send e-mails, and run the hourly tasks, until stopped. You can run several at once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="send what is due now, then exit")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["once"]:
            self.stdout.write(f"{send_due()} e-mails sent")
            return
        prepare_worker(self.stdout)
        with minute_tasks().running():
            mail_sender().run_until_signal()
