"""`manage.py doctor`: run all checks, and print each result with its remedy."""

import json
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import Error

from formation_portal.core.monitoring.checks import CheckResult, Verdict, fault
from formation_portal.core.monitoring.health import (
    SEE_DATABASES,
    check_cache,
    check_data_folder,
    check_databases,
    check_disk,
    check_encryption,
    check_storage,
)
from formation_portal.core.nodes.startup import check_secrets
from formation_portal.documents.health import check_sandbox, check_scanner
from formation_portal.gateway.health import check_service
from formation_portal.mail.health import check_emails, check_mail_server
from formation_portal.management.health import check_settings
from formation_portal.relay.health import check_deliveries, check_received_events, check_relay
from formation_portal.service.webhooks.health import check_events

# The checks in the order of their dependencies. The name is reported for a check that raises an error.
CHECKS: tuple[tuple[str, Callable[[], Iterable[CheckResult]]], ...] = (
    ("Settings", check_settings),
    ("DATA_DIR", check_data_folder),
    ("Disk", check_disk),
    ("Databases", check_databases),
    ("Secrets", check_secrets),
    ("Cache", check_cache),
    ("Storage", check_storage),
    ("Encryption", check_encryption),
    ("Sandbox", check_sandbox),
    ("Malware scanner", lambda: check_scanner(settings.CLAMD_URL)),
    ("Mail server", check_mail_server),
    ("E-mails", check_emails),
    ("Formation service", check_service),
    ("Relay worker", check_relay),
    ("Deliveries", check_deliveries),
    ("Events received", check_received_events),
    ("Events", check_events),
)


class Command(BaseCommand):
    help = (
        "Check settings, databases, clocks, storage, mail, service and queues. Exit code 1 if something does not work."
    )
    # The results below replace the checks that Django runs before a command.
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        results = []
        for result in run_checks():
            results.append(result)
            if not options["json"]:
                self._write(result)
        counts = dict.fromkeys(Verdict, 0)
        for result in results:
            counts[result.verdict] += 1
        if options["json"]:
            checks = [dict(zip(("check", "verdict", "found", "remedy"), result, strict=True)) for result in results]
            self.stdout.write(json.dumps({"checks": checks, "count": counts}))
        else:
            self.stdout.write(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
        if counts[Verdict.FAULT]:
            raise SystemExit(1)

    def _write(self, result: CheckResult) -> None:
        style = {Verdict.FAULT: self.style.ERROR, Verdict.LOOK: self.style.WARNING, Verdict.OK: self.style.SUCCESS}
        remedy = f" → {result.remedy}" if result.remedy else ""
        self.stdout.write(f"{style[result.verdict](f'{result.verdict:<5}')}  {result.check}: {result.finding}{remedy}")


def run_checks() -> Iterator[CheckResult]:
    """Yield all results. A check that raises an error counts as a fault, and does not stop the other checks."""
    for name, check in CHECKS:
        try:
            yield from check()
        except Exception as error:
            # The error's text is left out, since it may hold personal data.
            remedy = SEE_DATABASES if isinstance(error, Error) else "If no line above says why, report it as a bug."
            yield fault(name, f"can't be checked ({type(error).__name__})", remedy)
