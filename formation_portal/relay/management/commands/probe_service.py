"""`manage.py probe_service`: finds out what the service at hand honours, and keeps it for the relay."""

import uuid
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from formation_portal import gateway
from formation_portal.gateway import FormationService
from formation_portal.gateway.catalog import read_products
from formation_portal.gateway.errors import GatewayError, NoAnswer, NotSent
from formation_portal.gateway.health import remedy_for
from formation_portal.relay.probe.payloads import ProbePayloads, most_complete, payloads_for
from formation_portal.relay.probe.report import ProbeReport, probe, report_rows, store_report

WARNING = (
    "This creates a test entity at {where}, with test persons and a test document, and removes it if the service "
    "can. Otherwise it stays until the formation service removes it. Run this only against a "
    "sandbox, and pass --sandbox to confirm."
)


class Command(BaseCommand):
    """Makes some twenty calls about a test entity, stores what they show, and prints it."""

    help = (
        "Find out what the formation service supports, using a test entity. Anything unknown counts as not supported."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--sandbox", action="store_true", help="confirm that the service may receive a test entity")
        parser.add_argument(
            "--product", default="", help="slug or ID of the product to try; by default the one that tests most"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Stores nothing where not even a test entity can be made."""
        if settings.FORMATION_SERVICE_URL and not options["sandbox"]:
            raise CommandError(WARNING.format(where=settings.FORMATION_SERVICE_URL))
        service = gateway.service()
        payloads = _payloads(service, options["product"])
        reference = f"probe-{uuid.uuid4().hex[:16]}"
        try:
            report = probe(service, payloads, reference=reference)
        except GatewayError as error:
            may_exist = isinstance(error, NoAnswer) and not isinstance(error, NotSent)
            more = f". It may still have been created, with the client_reference {reference}" if may_exist else ""
            told = f"No test entity: {error}, request {error.request_id}{more}. Nothing is stored"
            raise CommandError(_printable(told)) from error
        store_report(report)
        self._tell(report)

    def _tell(self, report: ProbeReport) -> None:
        rows = [tuple(map(_printable, row)) for row in report_rows(report)]
        widths = [max(len(row[place]) for row in rows) for place in (0, 1)]
        for question, answer, because in rows:
            self.stdout.write(f"{question:{widths[0]}}  {answer:{widths[1]}}  {because}")
        unknown = sum(found.yes is None for found in report.found.values())
        answers = f"{unknown} answer{' is' if unknown == 1 else 's are'}"
        self.stdout.write(f"{report.calls} calls. {answers} unknown; the strictest rule applies to these.")
        for entity_id in report.left_behind:
            told = f"The test entity {entity_id} (client_reference {report.reference}) is still there."
            self.stdout.write(_printable(told), self.style.WARNING)


def _payloads(service: FormationService, product: str) -> ProbePayloads:
    try:
        products = read_products(service.catalog().items or [])
    except GatewayError as error:
        raise CommandError(_printable(f"No catalog: {error}. {remedy_for(error)}")) from error
    available = [(one.key, one.item) for one in products if one.item and one.is_available]
    items = [item for key, item in available if product in ("", key, item.jurisdiction_product_id)]
    if not items:
        raise CommandError(f"No suitable product{f' is called {product}' if product else ''}")
    return payloads_for(items[0]) if product else most_complete(items)


def _printable(text: str) -> str:
    """A stranger's text must not steer the terminal."""
    return "".join(character if character.isprintable() else "?" for character in text)
