"""`manage.py webhook_deliveries`: what became of telling events; lists, shows, and sends again."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from formation_portal.service.webhooks import deliveries


class Command(BaseCommand):
    help = "List events that could not be delivered, show one with its attempts, or send some again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """What to do; without it the dead ones are listed."""
        deeds = parser.add_subparsers(dest="deed")
        listing = deeds.add_parser("list", help="one line per delivery, newest first")
        listing.add_argument(
            "--state", choices=deliveries.STATES, default="dead", help="which deliveries; by default dead ones"
        )
        listing.add_argument("--limit", type=int, default=50, help="how many at most; 50 by default")
        deeds.add_parser("show", help="one delivery with its attempts").add_argument("number", type=int)
        again = deeds.add_parser("again", help="send these again now")
        again.add_argument("numbers", type=int, nargs="*", metavar="number")
        again.add_argument("--all-dead", action="store_true", help="every dead delivery, instead of numbers")

    def handle(self, *args: Any, **options: Any) -> None:
        """Prints lines that a script can take."""
        if options["deed"] == "show":
            self._show(options["number"])
        elif options["deed"] == "again":
            self._again(options["numbers"], all_dead=options["all_dead"])
        else:
            self._list(options.get("state", "dead"), options.get("limit", 50))

    def _list(self, state: str, limit: int) -> None:
        for line in deliveries.lines(state=state, limit=limit):
            self.stdout.write(line)
        counts = deliveries.counts()
        self.stdout.write(", ".join(f"{counts[name]} {name}" for name in deliveries.STATES if name != "all"))

    def _show(self, number: int) -> None:
        try:
            lines = deliveries.describe_delivery(number)
        except deliveries.NoSuchDelivery:
            raise CommandError(f"There is no delivery {number}") from None
        for line in lines:
            self.stdout.write(line)

    def _again(self, numbers: list[int], *, all_dead: bool) -> None:
        if bool(numbers) is all_dead:
            raise CommandError("Name the deliveries by their numbers, or say --all-dead; nothing was changed")
        try:
            count = deliveries.send_dead_again() if all_dead else deliveries.send_again(numbers)
        except deliveries.NoSuchDelivery as error:
            raise CommandError(f"There is no delivery {error}; nothing was changed") from None
        self.stdout.write(f"{count} will be sent again by the worker")
