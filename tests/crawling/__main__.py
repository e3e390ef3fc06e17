"""`make crawl`: wapiti against the portal, signed in as the demo's customer and as its agent; lines of `name value`.

The portal serves from an empty folder behind nginx as operators have it (deploy/nginx.conf), over HTTPS, with a draft
that is partly filled in, a submitted application and its review. Each role has a portal of its own, so that what one
crawl leaves behind troubles no other. Arguments: the roles to try, and `--crawl=`, `--module=` and `--parameters=` for
other limits in seconds and number than those of a quarter of an hour; with `--module=3600` all of them finish. Exit 1
where a finding is open, an error was logged or another address called, where a module could not run, and where the
scanner was signed out. A module that had no time to try everything is named as not finished. What wapiti and the portal
said is in test-results/crawling.
"""

import argparse
import json
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lxml import html

from tests.crawling.reports import counts, findings, still_open
from tests.crawling.scanner import LEFT_OUT, MODULES, Limits, lure, repeated_names, scan
from tests.journeys.clients import HttpBrowser
from tests.journeys.page_states.screenshots import PASSWORD, Story
from tests.management.served import READY, Served, free_port
from tests.nginx import PROGRAM, Nginx, running_nginx

_SETTINGS = {"SECURE_COOKIES": "true", "TRUSTED_PROXIES": "127.0.0.1/32", "LOG_LEVEL": "ERROR"}
# What each of them crawls: an agent the desk alone, since the rest is the same for both.
_ROLES = {"customer": "/", "agent": "/desk/"}
_DESK = ("api-keys", "audit", "deliveries", "figures", "texts")
_RESULTS = Path(__file__).resolve().parents[2] / "test-results/crawling"


@dataclass(frozen=True, slots=True)
class Site:
    """The portal with something to attack: who is signed in, where each begins, and what the portal has logged."""

    base: str
    browsers: dict[str, HttpBrowser]
    starts: dict[str, list[str]]
    logged: list[str]

    def is_signed_in(self, role: str) -> bool:
        page = self.browsers[role].get(self.starts[role][0])
        return page.status == 200 and page.address == self.starts[role][0]

    def repeated_names(self, role: str) -> set[str]:
        """What needn't be attacked on the pages where it begins and on those that they lead to."""
        browser, below = self.browsers[role], self.starts[role][0]
        linked = {address for start in self.starts[role] for _, address in browser.get(start).links()}
        answers = [
            browser.session.get(self.base + address, timeout=30)
            for address in sorted({*self.starts[role], *linked})
            if address.startswith(below)
        ]
        pages = [html.fromstring(one.content) for one in answers if one.headers["Content-Type"].startswith("text/html")]
        return repeated_names(form for page in pages for form in page.iter("form"))

    @property
    def errors(self) -> list[str]:
        """What it logged as an error, tracebacks left out."""
        return [line.strip() for line in self.logged if " ERROR " in line]


def main() -> int:
    """The exit code."""
    limits = Limits()
    parser = argparse.ArgumentParser(prog="make crawl")
    parser.add_argument("roles", nargs="*", help=", ".join(_ROLES))
    for name in ("crawl", "module", "depth", "parameters"):
        parser.add_argument(f"--{name}", type=int, default=getattr(limits, name))
    parser.add_argument("--modules", default=",".join(MODULES))
    given = parser.parse_args()
    python = os.environ["CRAWL_PYTHON"]
    if not Path(python).with_name("wapiti").exists():
        sys.stdout.write("not run: wapiti is not installed\n")
        return 0
    if not PROGRAM:
        sys.stdout.write("not run: nginx is not installed\n")
        return 0
    _RESULTS.mkdir(parents=True, exist_ok=True)
    limits = Limits(given.crawl, given.module, given.depth, given.parameters)
    failed = [_crawl(role, python, limits, given.modules.split(",")) for role in given.roles or _ROLES]
    sys.stdout.writelines(f"module_{name} not run: {reason}\n" for name, reason in LEFT_OUT.items())
    return int(any(failed))


def _crawl(role: str, python: str, limits: Limits, modules: list[str]) -> bool:
    """Whether something was found."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch, lure() as lured, _portal(Path(scratch)) as site:
        done = scan(
            python,
            site.base,
            below=_ROLES[role],
            cookies=site.browsers[role].session.cookies.get_dict(),
            starts=site.starts[role],
            limits=limits,
            lured=lured,
            folder=Path(scratch) / "wapiti",
            modules=modules,
            skipped=site.repeated_names(role),
        )
        signed_in = site.is_signed_in(role)
    (_RESULTS / f"{role}.json").write_text(json.dumps(done.report, indent=2))
    (_RESULTS / f"{role}.txt").write_text(done.output)
    (_RESULTS / f"{role}-portal.txt").write_text("".join(site.logged))
    found = findings(done.report)
    left = still_open(found)
    figures = {
        "seconds": round(time.monotonic() - began),
        "pages_and_forms": done.pages,
        "modules": len(modules),
        "modules_not_finished": len(done.stopped),
        "modules_broken": len(done.broken),
        "requests_without_answer": done.unanswered,
        "calls_to_other_addresses": len(lured.calls),
        "errors_logged": len(site.errors),
        "still_signed_in": int(signed_in),
        **{f"finding_{name}": number for name, number in counts(found).items()},
        "findings_looked_into": len(found) - len(left),
        "findings_open": len(left),
    }
    sys.stdout.writelines(f"{role}_{name} {number}\n" for name, number in figures.items())
    lists = {"not finished": done.stopped, "broken": done.broken, "called": lured.calls, "logged": site.errors}
    sys.stdout.writelines(f"  {name}: {one}\n" for name, those in lists.items() for one in those)
    sys.stdout.writelines(f"  {one}\n" for one in left)
    sys.stdout.flush()
    return bool(left or lured.calls or done.broken or site.errors or not signed_in)


@contextmanager
def _portal(scratch: Path) -> Iterator[Site]:
    served = Served(scratch / "data", free_port(), _SETTINGS).start()
    served.until(READY)
    # Somebody has to read what it says: a pipe that is full would stop it.
    logged: list[str] = []
    assert served.process.stdout is not None
    reading = threading.Thread(target=logged.extend, args=[served.process.stdout])
    reading.start()
    try:
        with running_nginx(scratch / "nginx", (served.port, served.port)) as nginx:
            yield _site(nginx, logged)
    finally:
        served.process.send_signal(signal.SIGINT)
        reading.join()
        served.process.wait()


def _site(nginx: Nginx, logged: list[str]) -> Site:
    """What happened there: a draft, a complete application, its submission, and an agent who has begun a review."""
    customer, agent = (_signed_in(nginx, email) for email in ("demo@example.com", "agent@example.com"))
    story = Story(customer, agent)
    shots = {shot.name: shot.address for shot in (*story.halfway(), *story.complete(), *story.submitted())}
    claim = agent.get(shots["case"]).form(button="Claim")
    agent.send(claim, claim.button("Claim"))
    own = ("overview", "section", "people", "party", "party-company", "owners", "shares", "share-class", "documents")
    return Site(
        nginx.base,
        {"customer": customer, "agent": agent},
        {
            "customer": ["/applications/", *(shots[name] for name in (*own, "check", "status"))],
            "agent": ["/desk/", shots["case"], *(f"/desk/{name}/" for name in _DESK)],
        },
        logged,
    )


def _signed_in(nginx: Nginx, email: str) -> HttpBrowser:
    assert nginx.tls is not None
    browser = HttpBrowser(nginx.base)
    browser.session.trust_env, browser.session.verify = False, str(nginx.tls.certificate)
    browser.session.headers["Origin"] = nginx.base
    form = browser.get("/accounts/login/").form(button="Sign in")
    form.control("E-mail").filled = [email]
    form.control("Password").filled = [PASSWORD]
    browser.send(form, form.button("Sign in"))
    return browser


if __name__ == "__main__":
    sys.exit(main())
