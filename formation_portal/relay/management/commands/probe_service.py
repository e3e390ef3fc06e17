"""`manage.py probe_service`: find out the capabilities of the configured service, and keep them for the relay."""

import uuid
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from formation_portal import gateway
from formation_portal.gateway import FormationService
from formation_portal.gateway.catalog import read_products
from formation_portal.gateway.errors import GatewayError, NoAnswer, NotSent
from formation_portal.gateway.health import printable, remedy_for
from formation_portal.relay.probe.payloads import ProbePayloads, most_complete, payloads_for
from formation_portal.relay.probe.report import ProbeReport, probe, report_rows, store_report

WARNING = (
    "This creates a test entity at {where}, with test persons and a test document, and removes it if the service "
    "can. Otherwise it stays until the formation service removes it. Run this only against a "
    "sandbox, and pass --sandbox to confirm."
)


class Command(BaseCommand):
    help = (
        "Find out what the formation service supports, using a test entity. Anything unknown counts as not supported."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--sandbox", action="store_true", help="confirm that the service may receive a test entity")
        parser.add_argument(
            "--product", default="", help="slug or ID of the product to try; by default the one that tests most"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if settings.FORMATION_SERVICE_URL and not options["sandbox"]:
            raise CommandError(WARNING.format(where=settings.FORMATION_SERVICE_URL))
        service = gateway.service()
        payloads = _payloads(service, options["product"])
        reference = f"probe-{uuid.uuid4().hex[:16]}"
        try:
            report = probe(service, payloads, reference=reference)
        except GatewayError as error:
            message = f"No test entity: {error}, request {error.request_id}"
            if isinstance(error, NoAnswer) and not isinstance(error, NotSent):
                message += f". It may still have been created, with the client_reference {reference}"
            raise CommandError(printable(f"{message}. Nothing is stored")) from error
        store_report(report)
        self._print(report)

    def _print(self, report: ProbeReport) -> None:
        rows = [tuple(map(printable, row)) for row in report_rows(report)]
        question_width = max(len(row[0]) for row in rows)
        answer_width = max(len(row[1]) for row in rows)
        for question, answer, consequence in rows:
            self.stdout.write(f"{question:{question_width}}  {answer:{answer_width}}  {consequence}")
        unknown = sum(answer.yes is None for answer in report.answers.values())
        answers = f"{unknown} answer{' is' if unknown == 1 else 's are'}"
        self.stdout.write(f"{report.calls} calls. {answers} unknown; the strictest rule applies to these.")
        for entity_id in report.left_behind:
            message = f"The test entity {entity_id} (client_reference {report.reference}) is still there."
            self.stdout.write(printable(message), self.style.WARNING)


def _payloads(service: FormationService, slug_or_id: str) -> ProbePayloads:
    try:
        products = read_products(service.catalog().items or [])
    except GatewayError as error:
        raise CommandError(printable(f"No catalog: {error}. {remedy_for(error)}")) from error
    items = []
    for product in products:
        item = product.item
        if item and product.is_available and slug_or_id in ("", product.key, item.jurisdiction_product_id):
            items.append(item)
    if not items:
        raise CommandError(f"No suitable product{f' is called {slug_or_id}' if slug_or_id else ''}")
    return payloads_for(items[0]) if slug_or_id else most_complete(items)
