"""`make lighthouse`: what Lighthouse says of the main pages, to customers, agents and nobody; lines of `name value`.

It comes by npx, which needs node and, the first time, the network. Exit 1 where a page has less than 100. Names given
choose among the pages: `python -m tests.lighthouse catalog section`. Its performance is simulated from what the page
took here, so it wants a machine that does nothing else. Pages for which one signs in are looked at as others are: no
search engine gets past the sign-in, and so they forbid none to list them.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory

from tests.journeys.page_states.screenshots import Shot, Story, running, signed_in
from tests.needed import chromium

_LIGHTHOUSE = "lighthouse@13"
_PAGES = ("catalog", "product", "sign-in", "section", "queue", "overview", "people", "shares", "check")
_CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
_FLAGS = "--headless --no-sandbox --disable-gpu"


def main(*chosen: str) -> int:
    """The exit code."""
    missing = [name for name, there in (("node", which("npx")), ("Chromium", chromium())) if not there]
    if missing:
        sys.stdout.write(f"not run: {missing[0]} is not installed\n")
        return 0
    with running() as base, TemporaryDirectory() as folder:
        customer = signed_in(base, "demo@example.com")
        agent = signed_in(base, "agent@example.com")
        story = Story(customer, agent)
        queue = Shot("queue", "/desk/", who="agent")
        shots = {shot.name: shot for shot in (*story.at_first(), *story.halfway(), queue)}
        people = {"customer": customer, "agent": agent}
        cookies = {who: {"Cookie": f"sessionid={one.session.cookies['sessionid']}"} for who, one in people.items()}
        scores = {
            page: _scores(base + shots[page].address, cookies.get(shots[page].who, {}), Path(folder) / f"{page}.json")
            for page in chosen or _PAGES
        }
    for page, (figures, faults) in scores.items():
        for category, figure in figures.items():
            sys.stdout.write(f"{page}_{category} {figure:.0f}\n")
        sys.stdout.writelines(f"{page}_fails {fault}\n" for fault in faults)
    return int(any(figure < 100 for figures, _ in scores.values() for figure in figures.values()))


def _scores(address: str, sent: dict[str, str], report: Path) -> tuple[dict[str, float], list[str]]:
    """Each category's figure, and what takes from it."""
    headers = report.with_suffix(".headers")
    headers.write_text(json.dumps(sent))
    command = ["npx", "--yes", _LIGHTHOUSE, address, "--quiet", "--output=json", f"--output-path={report}"]
    command += [f"--only-categories={','.join(_CATEGORIES)}", f"--chrome-flags={_FLAGS}", f"--extra-headers={headers}"]
    subprocess.run(command, check=True, env=os.environ | {"CHROME_PATH": str(chromium())}, timeout=300)
    found = json.loads(report.read_text())
    figures = {name: 100 * found["categories"][name]["score"] for name in _CATEGORIES}
    wrong = [
        f"{audit['id']}: {audit['title']}"
        for name in _CATEGORIES
        for ref in found["categories"][name]["auditRefs"]
        for audit in [found["audits"][ref["id"]]]
        if ref["weight"] and audit["score"] is not None and audit["score"] < 1
    ]
    return figures, wrong


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
