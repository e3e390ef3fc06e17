"""Measure what an outage costs, and print a line for each figure. `CI_SMALL=1` only tests the benchmark itself.

Everything happens in a data folder of its own, with SQLite; the relay's workers and the service are real processes.
"""

import os
import sys
import tempfile
from io import StringIO
from pathlib import Path

from django.core.management.base import OutputWrapper


def main() -> None:
    """Set up in a scratch folder, then measure."""
    with tempfile.TemporaryDirectory() as folder:
        from tests.campaigns.faults.environment import free_port

        os.environ |= {
            "DATA_DIR": folder,
            "DJANGO_SETTINGS_MODULE": "tests.campaigns.bench.settings",
            "FORMATION_SERVICE_URL": f"http://127.0.0.1:{free_port()}",
            "FORMATION_SERVICE_KEY": "other-makes-key",
            "DEMO": "false",
            "LOG_LEVEL": "CRITICAL",
        }
        sys.path.insert(0, str(Path.cwd()))
        import django

        django.setup()
        measure(small=bool(os.environ.get("CI_SMALL")))


def measure(*, small: bool) -> None:
    """Every figure, as soon as it is there."""
    from django.conf import settings

    from formation_portal.management.commands.setup_portal import collect_static, migrate

    from . import drain, retry_after, saving_while_down, wake_latency

    # The breaker alone takes half a minute.
    settings.RELAY_PACE = 1 / 20 if small else 1.0
    migrate("default", OutputWrapper(StringIO()))
    collect_static(OutputWrapper(StringIO()))
    parts = (
        saving_while_down.saving_while_down,
        drain.outage_drain,
        retry_after.retry_after,
        wake_latency.wake_up,
        drain.throughput,
    )
    for part in parts:
        for name, value, unit in part(small=small):
            sys.stdout.write(f"{name} {value:.3g} {unit}\n" if value < 1000 else f"{name} {value:.0f} {unit}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
