"""`manage.py relay`: send saved data to the formation service, and carry out decisions. Several may run."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from formation_portal.core.nodes.startup import prepare_worker
from formation_portal.relay.worker import Worker
from formation_portal.reviews.scheduled_decisions import carry_out_due, decision_worker


class Command(BaseCommand):
    """The command that runs one worker until SIGTERM or SIGINT; a call that has begun is finished first."""

    help = "Send saved data to the formation service until stopped. You can run several at once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="make the calls that are due now, then exit")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["once"]:
            carry_out_due()
            self.stdout.write(f"{Worker().work_through()} calls made")
            return
        prepare_worker(self.stdout)
        worker = Worker()
        worker.stop_on_signals()
        with decision_worker().running():
            worker.run()
