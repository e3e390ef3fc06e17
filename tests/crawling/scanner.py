"""Wapiti (wapiti3) as it is run here: which modules, what it is kept away from, how long, and what it says at its end.

It asks nobody but the portal: modules that need a database, a name server or a register from elsewhere stay out, and
what a scanner would have the target call is an address of this machine (`Lure`).
"""

import json
import os
import re
import subprocess
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote

from lxml.html import HtmlElement

# What it runs by itself comes first, then what takes little.
MODULES = (
    "cookieflags",
    "csp",
    "http_headers",
    "redirect",
    "upload",
    "ssrf",
    "xss",
    "permanentxss",
    "sql",
    "file",
    "exec",
    "backup",
    "brute_login_form",
    "cms",
    "crlf",
    "csrf",
    "htaccess",
    "https_redirect",
    "ldap",
    "methods",
    "network_device",
    "shellshock",
    "spring4shell",
    "wp_enum",
    "xxe",
)
# Why the others stay out.
LEFT_OUT = {
    "buster": "guesses 31,000 names in each of hundreds of folders, for days; what no address leads to is not routed",
    "htp": "needs a database from elsewhere",
    "log4shell": "needs a name server",
    "nikto": "needs a database from elsewhere",
    "ssl": "asks a public register of certificates",
    "takeover": "looks up other hosts",
    "timesql": "asks a database to sleep, in 218 ways for each parameter, and the portal's, SQLite, has no such call",
    "wapp": "needs a database from elsewhere",
}
# What would sign it out, shut the account or take away what the crawl is about. With any query; * is any text.
EXCLUDED = (
    "/accounts/2fa/*",
    "/accounts/email/",
    "/accounts/login/*",
    "/accounts/logout/",
    "/accounts/password/*",
    "/accounts/reauthenticate/",
    "/accounts/sessions/",
    "/applications/*/removal/",
    "/applications/*/withdrawal/",
    "/desk/*/parties/*/erasure/",
    "/desk/*/release/",
    "/desk/*/removal/",
    "/desk/*/ruling/*",
    "/desk/api-keys/*/revocation/",
    "/desk/releases/",
    "/language/",
    "/static/*",
    "/part/*/leave/",
    "/part/*/removal/",
    "/your-data/deletion/",
)
_LAUNCHER = Path(__file__).with_name("launcher.py")
# Its own words, in what it prints.
_STOPPED = re.compile(r"Max attack time was reached for module (\w+)")
_FOUND = re.compile(r"Wapiti found (\d+) URLs and forms")
_SKIPPED = re.compile(r"(\d+) requests were skipped due to network issues")
_BROKEN = re.compile(r"Module (\w+) seems broken|Unable to import module (\w+)|Unable to find a module named (\w+)")


@dataclass(frozen=True, slots=True)
class Limits:
    """How far a crawl goes, and how many seconds it and each module have."""

    crawl: int = 120
    module: int = 45
    depth: int = 6
    parameters: int = 60


def repeated_names(forms: Iterable[HtmlElement]) -> set[str]:
    """Names of controls in these forms of which each that has them has one of the same kind before: the schema draws
    them all by the same code. What is hidden or a button is of a kind of its own."""
    kept, others = set[str](), set[str]()
    for form in forms:
        by_kind: dict[tuple[str, str], list[str]] = {}
        for one in form.iter("input", "select", "textarea"):
            name, kind = one.get("name"), one.get("type", "text") if one.tag == "input" else str(one.tag)
            own = name if kind in ("hidden", "submit") else one.get("inputmode")
            alike = by_kind.setdefault((kind, own or ""), [])
            if name and name not in alike:
                alike.append(name)
        for alike in by_kind.values():
            kept.update(alike[:1])
            others.update(alike[1:])
    return others - kept


class Lure:
    """The address that attacks would have the portal call: `calls` are those that came."""

    def __init__(self, server: ThreadingHTTPServer, calls: list[str]) -> None:
        self.address, self.calls = f"http://127.0.0.1:{server.server_port}/", calls


@contextmanager
def lure() -> Iterator[Lure]:
    """Listens, and answers the scanner's own questions for what came in with nothing: we look ourselves."""
    calls: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if not self.path.startswith(("/get_ssrf.php", "/get_xxe.php")) and self.path != "/":
                calls.append(self.path)
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(b"[]")

        do_POST = do_HEAD = do_GET  # noqa: N815 - as the base class wants them

        def log_message(self, *_: Any) -> None:
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield Lure(server, calls)
        finally:
            server.shutdown()
            thread.join()


@dataclass(frozen=True, slots=True)
class Scan:
    """What came of a run: its report as it stands in the file, and what it printed."""

    report: Mapping[str, Any]
    output: str

    @property
    def pages(self) -> int:
        """Addresses and forms that were attacked."""
        return sum(map(int, _FOUND.findall(self.output)))

    @property
    def stopped(self) -> list[str]:
        """Modules whose time was over before they had tried everything."""
        return sorted(_STOPPED.findall(self.output))

    @property
    def broken(self) -> list[str]:
        return sorted(name for names in _BROKEN.findall(self.output) for name in names if name)

    @property
    def unanswered(self) -> int:
        """Requests that brought no answer."""
        return sum(map(int, _SKIPPED.findall(self.output)))


def scan(
    python: str,
    base: str,
    *,
    below: str,
    cookies: Mapping[str, str],
    starts: Iterable[str],
    limits: Limits,
    lured: Lure,
    folder: Path,
    modules: Iterable[str] = MODULES,
    skipped: Iterable[str] = (),
) -> Scan:
    """Crawl what is `below` a path, from these addresses and with these cookies, then attack what was found, but for
    parameters with the names that are skipped."""
    folder.mkdir()
    jar, report = folder / "cookies.json", folder / "report.json"
    host = base.partition("://")[2].partition(":")[0]
    each = {"expires": None, "secure": base.startswith("https"), "port": None, "version": 0}
    jar.write_text(json.dumps({host: {"/": {name: {"value": value, **each} for name, value in cookies.items()}}}))
    command = [
        python,
        str(_LAUNCHER),
        f"--url={base}{below}",
        "--scope=folder",
        f"--module={','.join(modules)}",
        f"--cookie={jar}",
        # Posts are refused that do not say where they come from.
        f"--header=Origin: {base}",
        f"--endpoint={lured.address}",
        f"--depth={limits.depth}",
        f"--max-scan-time={limits.crawl}",
        f"--max-attack-time={limits.module}",
        f"--max-parameters={limits.parameters}",
        "--timeout=20",
        "--verbose=1",
        # Another token is refused, whatever it holds.
        "--skip=csrfmiddlewaretoken",
        # As it compares them: as they stand in an address.
        *(f"--skip={quote(name)}" for name in sorted(skipped)),
        f"--store-session={folder}",
        f"--store-config={folder}",
        "--no-bugreport",
        "--detailed-report=1",
        "--format=json",
        f"--output={report}",
        *(f"--start={base}{path}" for path in starts),
        *(f"--exclude={base}{path}" for path in EXCLUDED),
        *(f"--exclude={base}{path}?*" for path in EXCLUDED),
    ]
    # It must reach this machine directly, and leave nothing in anybody's home.
    environment = {key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")}
    said = folder / "output.txt"
    with said.open("w") as out:
        done = subprocess.run(
            command, cwd=folder, env=environment | {"HOME": str(folder)}, stdout=out, stderr=out, check=False
        )
    output = said.read_text()
    if not report.exists():
        raise RuntimeError(f"wapiti ended with {done.returncode} and no report:\n{output[-4000:]}")
    return Scan(json.loads(report.read_text()), output)
