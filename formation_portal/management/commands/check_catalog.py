"""`manage.py check_catalog`: check the form schemas of the formation service."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from formation_portal.contract.examples import try_validations
from formation_portal.contract.schema import FormSchema
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
            if not faults:
                trial_warnings, trial_notes = _tried(product.item.form)
                warnings += trial_warnings
                notes += trial_notes
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


# On so many example applications each rule across answers is tried.
_EXAMPLES = 100


def _tried(form: FormSchema) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """Return warnings and notes about validations that never hold, never fail, or cannot be judged."""
    warnings: list[Finding] = []
    notes: list[Finding] = []
    for trial in try_validations(form, _EXAMPLES, today=timezone.localdate()) if form.validations else []:
        subject = f"The validation “{trial.validation.stated.message}”"
        reasons = "; ".join(reason for reason, _ in trial.reasons.most_common(3))
        if not trial.successes and not trial.failures:
            message = f"{subject} was judged in none of {_EXAMPLES} example applications: {reasons}"
            warnings.append(Finding("never_judged", "validations", message))
        elif not trial.successes:
            message = f"{subject} held in none of {_EXAMPLES} example applications"
            warnings.append(Finding("never_holds", "validations", message))
        elif not trial.failures:
            message = f"{subject} held in each of {_EXAMPLES} example applications that it judges"
            notes.append(Finding("never_fails", "validations", message))
    return tuple(warnings), tuple(notes)


def _count(number: int, noun: str) -> str:
    return f"1 {noun}" if number == 1 else f"{number} {noun}s"
