"""Check for `manage.py doctor` whether the formation service can be used, by one call for the catalog."""

import time
from collections.abc import Iterator

from django.conf import settings
from django.utils import timezone

from formation_portal.contract.schema_check import check_schema
from formation_portal.core.monitoring.checks import CheckResult, fault, look, ok
from formation_portal.core.monitoring.health import SEE_DATABASES, clock_result

from . import configuration
from .catalog import read_products
from .errors import GatewayError, NotAuthorised, NotConfigured, NotSent

# Generous, since the catalog is the largest answer.
_SLOW_SECONDS = 5.0


def check_service() -> Iterator[CheckResult]:
    """Check that the service answers soon, accepts the key, has the right time, and has schemas without mistakes."""
    name = "Formation service"
    started = time.perf_counter()
    try:
        answer = configuration.service().catalog()
    except GatewayError as error:
        # The service's text is left out, since it may say anything.
        status = f" ({error.status})" if error.status else ""
        yield fault(name, f"{error.explanation}{status}", remedy_for(error))
        return
    seconds = time.perf_counter() - started
    now = timezone.now()
    service = "another" if settings.FORMATION_SERVICE_URL else "the embedded one"
    result = f"{service} answers in {seconds * 1000:.0f} ms"
    if seconds > _SLOW_SECONDS:
        yield look(name, result, "Ask its provider; CALL_TIMEOUT says how long the portal waits for it.")
    else:
        yield ok(name, f"{result} and takes the key")
    if answer.sent_at is not None:
        yield clock_result("Service's clock", (answer.sent_at - now).total_seconds())
    products = read_products(answer.items or [])
    unavailable = sum(not product.is_available for product in products)
    warnings = sum(len(check_schema(product.item.form).warnings) for product in products if product.item)
    counts = f"{len(products)} products, {unavailable} unavailable, {warnings} warnings"
    remedy = "manage.py check_catalog names each of them; the service's provider corrects its schemas."
    if unavailable or not products:
        yield fault("Catalog", counts, remedy)
    elif warnings:
        yield look("Catalog", counts, remedy)
    else:
        yield ok("Catalog", counts)


def printable(text: str) -> str:
    """Replace unprintable characters: a text of the service must not steer the terminal."""
    return "".join(character if character.isprintable() else "?" for character in text)


def remedy_for(error: GatewayError) -> str:
    if not settings.FORMATION_SERVICE_URL:
        return "Run manage.py setup_portal." if isinstance(error, NotAuthorised) else SEE_DATABASES
    if isinstance(error, NotAuthorised):
        return "Correct FORMATION_SERVICE_KEY; the provider says which key counts."
    if isinstance(error, NotConfigured):
        return "Correct FORMATION_SERVICE_URL and FORMATION_SERVICE_KEY."
    if isinstance(error, NotSent):
        return "Check FORMATION_SERVICE_URL, and whether this machine may connect to it."
    return "Ask its provider; manage.py check_catalog shows what it says."
