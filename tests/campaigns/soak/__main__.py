"""`make soak`: figures a line each at the end; exit 1 where something has grown by more than 5 percent."""

import argparse
import sys
import tempfile
from pathlib import Path

from tests.campaigns.environment import Ports, load_django, scratch_folder

# Seconds. An answer that drips in byte by byte must not hold a worker for half a minute.
_TIMES = {"CONNECT_TIMEOUT": "1", "READ_TIMEOUT": "3", "CALL_TIMEOUT": "5", "UPLOAD_TIMEOUT": "5"}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--faults", type=float, default=0.05, help="the share of the documented POSTs that go wrong")
    parser.add_argument("--customers", type=int, default=3, help="how many are at work at once")
    parser.add_argument("--rate", type=float, default=5, help="applications that are begun in a minute")
    parser.add_argument("--keep", type=Path, help="leave databases, samples and logs in this folder")
    arguments = parser.parse_args()
    with scratch_folder("soak", keep=arguments.keep) as folder:
        ports = Ports()
        # Everybody's temporary files have one place.
        temporary = folder / "temporary"
        temporary.mkdir()
        tempfile.tempdir = str(temporary)
        address = f"http://127.0.0.1:{ports.proxy}"
        more = {"TMPDIR": str(temporary), "FORMATION_SERVICE_URL": address, "LOG_LEVEL": "WARNING", "DEMO": "false"}
        load_django(folder, "tests.campaigns.soak.settings", **_TIMES, **more)
        from .soak import Soak

        report = Soak(ports, folder, arguments).run()
        sys.stdout.writelines(f"{line}\n" for line in report.lines())
        broken = report.broken()
        sys.stderr.writelines(f"{sentence}\n" for sentence in broken)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
