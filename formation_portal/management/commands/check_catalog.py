"""`manage.py check_catalog`: check the form schemas of the formation service."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from formation_portal.contract.schema_check import Finding, check_schema
from formation_portal.gateway import service
from formation_portal.gateway.catalog import CatalogProduct, read_products
from formation_portal.gateway.errors import GatewayError
from formation_portal.gateway.health import printable, remedy_for


class Command(BaseCommand):
    help = "Check the catalog of the formation service. Exit code 1 if an error makes a product unavailable."

    def handle(self, *_: Any, **__: Any) -> None:
        """Read the catalog from the service (not from the cache) and check it."""
        try:
            items = service().catalog().items
        except GatewayError as error:
            where = settings.FORMATION_SERVICE_URL or "the embedded service"
            raise CommandError(f"No catalog from {where}: {printable(str(error))}. {remedy_for(error)}") from error
        products = read_products(items or [])
        warnings = sum(map(self._report, products))
        unavailable = sum(not product.is_available for product in products)
        self.stdout.write(
            f"{_count(len(products), 'product')}, {unavailable} unavailable, {_count(warnings, 'warning')}"
        )
        if unavailable:
            raise SystemExit(1)

    def _report(self, product: CatalogProduct) -> int:
        """Print the findings about a product, and return the number of warnings."""
        faults: list[str] = []
        warnings: tuple[Finding, ...] = ()
        notes: tuple[Finding, ...] = ()
        if product.item:
            report = check_schema(product.item.form)
            faults = [finding.message for finding in report.faults]
            warnings = report.warnings
            notes = report.notes
        if product.reason and not faults:
            faults = [product.reason]
        if faults or warnings or notes:
            self.stdout.write(f"{printable(product.name)} ({product.key})")
        for message in faults:
            self.stdout.write(f"  fault: {printable(message)}", self.style.ERROR)
        for finding in warnings:
            self.stdout.write(f"  warning: {printable(finding.message)}", self.style.WARNING)
        for finding in notes:
            self.stdout.write(f"  note: {printable(finding.message)}")
        return len(warnings)


def _count(number: int, noun: str) -> str:
    return f"1 {noun}" if number == 1 else f"{number} {noun}s"
