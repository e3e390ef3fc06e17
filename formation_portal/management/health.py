"""Check the settings for faults that don't stop the start, unlike those in environment.py."""

import os
from collections.abc import Iterator
from urllib.parse import urlsplit

from django.conf import settings
from django.core import checks

from formation_portal.core.monitoring.checks import CheckResult, fault, look, ok
from formation_portal.core.operator import operator
from formation_portal.environment import misspelled_settings
from formation_portal.unsafe_settings import is_this_machine, unsafe_settings

# Django's warnings to ignore: an untrusted proxy redirects from http itself, and the operator decides on HSTS_PRELOAD.
_IGNORED_CHECKS = frozenset({"security.W008", "security.W021"})


def check_settings() -> Iterator[CheckResult]:
    """Run Django's checks, and check for unsafe public settings, a help desk and misspelled names."""
    results = [*_system_checks()]
    if is_public():
        # A public portal does not start with these faults.
        for line in unsafe_settings(settings.ENV, is_public=True):
            finding, _, remedy = line.rpartition(". ")
            results.append(fault("Settings", finding, remedy))
    if not operator.has_help:
        finding = "HELP_EMAIL and HELP_TELEPHONE are empty: pages and e-mails name nobody to ask for help"
        results.append(look("Settings", finding, "Set HELP_EMAIL, HELP_TELEPHONE or both."))
    for name, meant in misspelled_settings(os.environ).items():
        results.append(look("Settings", f"{name} is no setting of the portal", f"Is it {meant} that you mean?"))
    yield from results or [ok("Settings", "nothing is wrong with them")]


def _system_checks() -> Iterator[CheckResult]:
    public = is_public()
    for message in checks.run_checks(include_deployment_checks=public):
        if message.id in _IGNORED_CHECKS or message.is_silenced() or message.level < checks.WARNING:
            continue
        # Django's check of SECRET_KEY: a key made by the portal is long enough, and empty while the database is away.
        if message.id == "security.W009" and not settings.ENV.secret_key:
            continue
        result = fault if message.level >= checks.ERROR else look
        first, _, rest = str(message.msg).partition("\n")
        yield result("Settings", f"{first} ({message.id})", message.hint or rest or "See the README's settings.")


def is_public() -> bool:
    host = urlsplit(settings.PORTAL_URL).hostname or ""
    return not (is_this_machine(settings.ENV.host) and is_this_machine(host))
