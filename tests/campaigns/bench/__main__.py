"""Measure, and print a line for each figure; ends with 1 where one misses its goal, and says which.

`CI_SMALL=1` takes few rounds: that run only tests the benchmark itself, and holds nothing against its goals.

Everything happens in a data folder of its own, with SQLite, in this process; `start_again` starts the real server.
"""

import os
import sys
import tempfile
from pathlib import Path


def main() -> None:
    """Set up in a scratch folder, then measure."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {
            "DATA_DIR": folder,
            "DJANGO_SETTINGS_MODULE": "tests.campaigns.bench.settings",
            "RELAY_WAIT_MS": "0",
            "LOG_LEVEL": "ERROR",
        }
        sys.path.insert(0, str(Path.cwd()))
        import django

        django.setup()
        from tests.campaigns.bench import goals, measures

        small, missed = bool(os.environ.get("CI_SMALL")), []
        for name, value, unit in measures.all_measures(small=small):
            sys.stdout.write(f"{name} {value:.3g} {unit}\n" if value < 1000 else f"{name} {value:.0f} {unit}\n")
            sys.stdout.flush()
            missed += [words] if (words := goals.missed(name, value)) else []
        if missed and not small:
            sys.exit("Missed: " + "; ".join(missed))


main()
