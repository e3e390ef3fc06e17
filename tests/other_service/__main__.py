"""Runs the other make as a process of its own: `python -m tests.other_service --journal FILE --port 9000 …`.

It prints its address as soon as it listens, and serves until it is ended or killed. What it answered is in the journal.
"""

import argparse
import json
import sys
from pathlib import Path

# The plan of faults is the same for every service that is put in trouble; this make itself knows nothing of it.
from tests.service.fault_plan import FaultPlan

from .schemas import CATALOG
from .service import OtherService


def main() -> None:
    """Serve as the arguments say."""
    arguments = _arguments()
    catalog = json.loads(arguments.catalog.read_text()) if arguments.catalog else CATALOG
    plan = FaultPlan(seed=arguments.seed, ledger=arguments.ledger, each=arguments.each) if arguments.ledger else None
    service = OtherService(journal=arguments.journal, plan=plan, port=arguments.port, catalog=catalog)
    service.start()
    sys.stdout.write(f"{service.url}\n")
    sys.stdout.flush()
    service.serve_forever()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.other_service", description=main.__doc__)
    parser.add_argument("--journal", type=Path, help="where it keeps what it has accepted")
    parser.add_argument("--port", type=int, help="a free one, if not given")
    parser.add_argument("--catalog", type=Path, help="a JSON list of catalog items, instead of its own")
    parser.add_argument("--ledger", type=Path, help="of the plan of faults; none without it")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--each", type=int, default=1, help="how often each kind of fault comes at each endpoint")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
