"""`manage.py webhook_deliveries`: list, show and resend deliveries. Paths of targets are hidden: they may hold keys."""

from argparse import ArgumentParser
from typing import Any
from urllib.parse import urlsplit

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from formation_portal.core.databases import SERVICE
from formation_portal.service.models import EventDelivery
from formation_portal.service.schemas import format_time
from formation_portal.service.webhooks.events import EVENTS

_STATES = {
    "dead": Q(dead_at__isnull=False),
    "waiting": Q(next_at__isnull=False),
    "delivered": Q(delivered_at__isnull=False),
    "all": Q(),
}


class Command(BaseCommand):
    help = "List events that could not be delivered, show one with its attempts, or send some again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action")
        listing = actions.add_parser("list", help="one line per delivery, newest first")
        listing.add_argument(
            "--state", choices=tuple(_STATES), default="dead", help="which deliveries; by default dead ones"
        )
        listing.add_argument("--limit", type=int, default=50, help="how many at most; 50 by default")
        actions.add_parser("show", help="one delivery with its attempts").add_argument("number", type=int)
        again = actions.add_parser("again", help="send these again now")
        again.add_argument("numbers", type=int, nargs="*", metavar="number")
        again.add_argument("--all-dead", action="store_true", help="every dead delivery, instead of numbers")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["action"] == "show":
            self._show(options["number"])
        elif options["action"] == "again":
            self._again(options["numbers"], all_dead=options["all_dead"])
        else:
            self._list(options.get("state", "dead"), options.get("limit", 50))

    def _list(self, state: str, limit: int) -> None:
        rows = EventDelivery.objects.filter(_STATES[state]).select_related("event", "subscription").order_by("-pk")
        for row in rows[:limit]:
            self.stdout.write(_line(row))
        counts = []
        for name in ("dead", "waiting", "delivered"):
            counts.append(f"{EventDelivery.objects.filter(_STATES[name]).count()} {name}")
        self.stdout.write(", ".join(counts))

    def _show(self, number: int) -> None:
        row = EventDelivery.objects.filter(pk=number).select_related("event", "subscription").first()
        if row is None:
            raise CommandError(f"There is no delivery {number}")
        self.stdout.write(_line(row))
        if row.next_at:
            self.stdout.write(f"next try: {format_time(row.next_at)}")
        for attempt in row.attempts.order_by("pk"):
            status = f" {attempt.status}" if attempt.status else ""
            self.stdout.write(f"  {format_time(attempt.started_at)}  {attempt.outcome or 'in progress'}{status}")

    def _again(self, numbers: list[int], *, all_dead: bool) -> None:
        if bool(numbers) is all_dead:
            raise CommandError("Name the deliveries by their numbers, or say --all-dead; nothing was changed")
        with transaction.atomic(using=SERVICE):
            rows = EventDelivery.objects.filter(_STATES["dead"] if all_dead else Q(pk__in=numbers))
            if missing := set(numbers) - set(rows.values_list("pk", flat=True)):
                raise CommandError(f"There is no delivery {min(missing)}; nothing was changed")
            count = rows.update(tries=0, lease=None, next_at=timezone.now(), delivered_at=None, dead_at=None)
            EVENTS.wake_after_commit()
        self.stdout.write(f"{count} will be sent again by the worker")


def _line(row: EventDelivery) -> str:
    host = urlsplit(row.subscription.url).netloc
    return f"{row.pk}  {row.state}  {row.event.type}  {row.event.id}  {row.about}  {host}  tries: {row.tries}"
