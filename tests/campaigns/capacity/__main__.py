"""`make capacity`: what an application costs, where a portal is full first, and whether a simulation agrees with a run.

    python -m tests.campaigns.capacity [--seconds 180] [--core-hour 0.04 …]

Lines of `name value unit`. The exit code is 1 where a figure of the run is further than 20 % from the simulation's.
"""

import argparse
import random
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from pathlib import Path

from formation_portal.documents.inspection_task import inspect_content
from tests.campaigns.scale.people import PASSWORD
from tests.journeys.actors.realistic_client import _scanned_page

from .journey import TimedBrowser, apply, review
from .model import APPLICATIONS_A_DAY, DAY_SECONDS, TIMES, Application, Machines, Prices, cost_per_thousand, utilisation
from .portal import DEMO_PASSWORD, Portal, running_portal
from .simulation import THINK_SECONDS, Outcome, arrivals, simulate

CUSTOMER, AGENT = "demo@example.com", "agent@example.com"
# One after the other, to measure what each uses; one more before them, that loads what is loaded once.
MEASURED = 8
IDLE_SECONDS = 60
# Of a thousand times the load.
SHARE = 1000 / 100
MOST_APART = 0.20
PARTS = ("web", "relay", "mail", "webhooks", "database")
SEED = 15


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=180, help="in which applications are begun")
    parser.add_argument("--measured", type=int, default=MEASURED, help="applications that the model is made of")
    for kind in (Prices, Machines):
        for one in fields(kind):
            parser.add_argument(f"--{one.name.replace('_', '-')}", type=float, default=one.default)
    given = vars(parser.parse_args())
    prices, machines = (kind(**{one.name: given[one.name] for one in fields(kind)}) for kind in (Prices, Machines))
    with tempfile.TemporaryDirectory(prefix="capacity-") as folder, running_portal(Path(folder)) as portal:
        one = measure(portal, given["measured"])
        report(one, prices, machines)
        rate = SHARE * APPLICATIONS_A_DAY / DAY_SECONDS
        moments = arrivals(rate, given["seconds"], seed=SEED)
        expected = simulate(one, moments, calls_per_second=10, seed=SEED).figures()
        found = run(portal, moments).figures()
    is_near = True
    for name, value in expected.items():
        apart = found[name] / value - 1
        is_near &= abs(apart) <= MOST_APART
        say(f"simulated: {name}", value, "")
        say(f"run: {name}", found[name], f"{apart:+.0%}")
    return 0 if is_near else 1


def say(name: str, value: float, unit: str) -> None:
    sys.stdout.write(f"{name} {value:,.3f} {unit}\n".replace(" \n", "\n"))
    sys.stdout.flush()


def measure(portal: Portal, times: int) -> Application:
    """What one application uses, from several one after the other."""
    form_company(portal)
    portal.rest()
    before = portal.used()
    time.sleep(IDLE_SECONDS)
    idle = (portal.used() - before) * (1 / IDLE_SECONDS)
    before, began, asked = portal.used(), time.monotonic(), 0
    for _ in range(times):
        asked += form_company(portal)
    portal.rest()
    used = (portal.used() - before - idle * (time.monotonic() - began)) * (1 / times)
    # Each is opened when it is uploaded and when an agent looks at it; of the files every second one is the service's.
    began = time.process_time()
    content = _scanned_page()
    for _ in range(10):
        inspect_content(content, mime_type="application/pdf", side=800)
    sandbox = (time.process_time() - began) / 10
    return Application(used, asked / times, used.files * sandbox, idle)


def form_company(
    portal: Portal, pause: random.Random | None = None, *, by: tuple[str, str] = (CUSTOMER, DEMO_PASSWORD)
) -> int:
    """One journey by a customer, with the password; how many requests it took."""

    def think() -> float:
        return pause.expovariate(1 / THINK_SECONDS) if pause else 0.0

    customer, agent = (
        TimedBrowser(portal.web.base, portal.web.signed_in(*one), think) for one in (by, (AGENT, DEMO_PASSWORD))
    )
    review(agent, apply(customer))
    return len(customer.seconds) + len(agent.seconds)


def run(portal: Portal, moments: list[float]) -> Outcome:
    """The real thing: each application is begun at its moment, by a thread and a customer of its own."""
    # Two that one customer begins within some seconds are one: the same button pressed twice.
    portal.make_customers(len(moments))
    before, began = portal.used(), time.monotonic()

    def live(number: int, moment: float) -> tuple[int, float]:
        time.sleep(max(0.0, began + moment - time.monotonic()))
        start = time.monotonic()
        by = (f"customer{number}@example.com", PASSWORD)
        return form_company(portal, random.Random(SEED + number), by=by), time.monotonic() - start

    with ThreadPoolExecutor(len(moments)) as pool:
        journeys = list(pool.map(live, range(len(moments)), moments))
    portal.rest()
    seconds, used = time.monotonic() - began, portal.used() - before
    return Outcome(
        seconds,
        len(journeys),
        sum(requests for requests, _ in journeys),
        used.calls,
        used.web,
        used.relay,
        used.database,
        sum(taken for _, taken in journeys) / len(journeys),
    )


def report(one: Application, prices: Prices, machines: Machines) -> None:
    used = one.used
    for name, value, unit in (
        ("requests of an application", one.requests, ""),
        *((f"processor of an application: {part}", getattr(used, part), "s") for part in PARTS),
        ("processor of an application: sandbox", one.sandbox, "s"),
        ("rows written by an application", used.rows, ""),
        ("write-ahead log of an application", used.log_bytes / 1e6, "MB"),
        ("database of an application", used.database_bytes / 1e6, "MB"),
        ("files of an application", used.files, ""),
        ("bucket of an application", used.file_bytes / 1e6, "MB"),
        ("calls of an application", used.calls, ""),
        ("emails of an application", used.emails, ""),
        ("audit entries of an application", used.entries, ""),
    ):
        say(name, value, unit)
    for name, value in cost_per_thousand(one, prices).items():
        say(f"cost of 1,000 applications: {name}", value, "at the prices given")
    for times in TIMES:
        for name, share in utilisation(one, machines, times).items():
            say(f"{times} times the load: {name}", 100 * share, "%")


if __name__ == "__main__":
    raise SystemExit(main())
