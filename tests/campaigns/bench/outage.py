"""Measure what an outage costs, and print a line for each figure. `CI_SMALL=1` only tests the benchmark itself.

Everything happens in a data folder of its own, with SQLite; the relay's workers and the service are real processes.
"""

import os
from io import StringIO

from django.core.management.base import OutputWrapper

from tests.campaigns.bench import say
from tests.campaigns.environment import free_port, load_django, scratch_folder


def main() -> None:
    with scratch_folder("outage") as folder:
        load_django(
            folder,
            "tests.campaigns.bench.settings",
            FORMATION_SERVICE_URL=f"http://127.0.0.1:{free_port()}",
            FORMATION_SERVICE_KEY="other-makes-key",
            DEMO="false",
            LOG_LEVEL="CRITICAL",
        )
        from django.conf import settings

        from formation_portal.management.commands.setup_portal import collect_static, migrate

        from . import outage_parts as parts

        small = bool(os.environ.get("CI_SMALL"))
        # The breaker alone takes half a minute.
        settings.RELAY_PACE = 1 / 20 if small else 1.0
        migrate("default", OutputWrapper(StringIO()))
        collect_static(OutputWrapper(StringIO()))
        for part in (
            parts.saving_while_down,
            parts.outage_drain,
            parts.retry_after,
            parts.wake_up,
            parts.throughput,
        ):
            for name, value, unit in part(small=small):
                say(name, value, unit)


if __name__ == "__main__":
    main()
