"""`manage.py relay`: brings what was saved to the formation service. As many as one likes may run."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from formation_portal.mail.worker import running_worker
from formation_portal.relay.worker import Worker


class Command(BaseCommand):
    """Runs one worker, and beside it the one who carries letters, until SIGTERM or SIGINT."""

    help = "Send saved data to the formation service until stopped."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="make the calls that are due now, then exit")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["once"]:
            self.stdout.write(f"{Worker().work_through()} calls made")
            return
        worker = Worker()
        worker.stop_on_signals()
        with running_worker():
            worker.run()
