"""What an operator does before a campaign: has the service probed, with the patience of an ordinary day."""

import io
import time

from django.conf import settings
from django.core.management import CommandError, call_command

_SECONDS = 15.0
_PATIENT = {"connect_timeout": 3.0, "read_timeout": 10.0, "call_timeout": 10.0, "upload_timeout": 10.0}


def probe() -> None:
    """`manage.py probe_service`, as soon as the service answers."""
    settings.ENV = settings.ENV.model_copy(update=_PATIENT)
    until = time.monotonic() + _SECONDS
    while True:
        try:
            call_command("probe_service", sandbox=True, stdout=io.StringIO())
            return
        except CommandError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)
