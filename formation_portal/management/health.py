"""The checks of the settings, beyond what stops the start (environment.py)."""

import os
from collections.abc import Iterator
from urllib.parse import urlsplit

from django.conf import settings
from django.core import checks

from formation_portal.core.monitoring.checks import CheckResult, fault, look, ok
from formation_portal.core.operator import operator
from formation_portal.environment import misspelled_settings
from formation_portal.unsafe_settings import is_this_machine, unsafe_settings

# Redirects from http are the proxy's where it is not trusted to tell the scheme; whether browsers' makers may list the
# host is for its operator to say (HSTS_PRELOAD).
_OF_THE_OPERATOR = frozenset({"security.W008", "security.W021"})


def check_settings() -> Iterator[CheckResult]:
    """Check the settings by Django's checks, for what must not be public, for a help desk and for misspelled names."""
    results = [*_public_settings(), *_system_checks()]
    if not operator.has_help:
        found = "HELP_EMAIL and HELP_TELEPHONE are empty: pages and e-mails name nobody to ask for help"
        results.append(look("Settings", found, "Set HELP_EMAIL, HELP_TELEPHONE or both."))
    for name, meant in misspelled_settings(os.environ).items():
        results.append(look("Settings", f"{name} is no setting of the portal", f"Is it {meant} that you mean?"))
    yield from results or [ok("Settings", "nothing is wrong with them")]


def _public_settings() -> Iterator[CheckResult]:
    """What stops the start too, looked at once more."""
    if is_public():
        for line in unsafe_settings(settings.ENV, is_public=True):
            name, _, why = line.partition(": ")
            found, _, remedy = why.rpartition(". ")
            yield fault("Settings", f"{name}: {found}", remedy)


def _system_checks() -> Iterator[CheckResult]:
    public = is_public()
    for message in checks.run_checks(include_deployment_checks=public):
        if message.id in _OF_THE_OPERATOR or message.is_silenced() or message.level < checks.WARNING:
            continue
        # A key that the portal has made is long enough, and is not known here while the database is away.
        if message.id == "security.W009" and not settings.ENV.secret_key:
            continue
        result = fault if message.level >= checks.ERROR else look
        first, _, rest = str(message.msg).partition("\n")
        yield result("Settings", f"{first} ({message.id})", message.hint or rest or "See the README's settings.")


def is_public() -> bool:
    """Whether others than this machine are meant to reach the portal."""
    host = urlsplit(settings.PORTAL_URL).hostname or ""
    return not (is_this_machine(settings.ENV.host) and is_this_machine(host))
