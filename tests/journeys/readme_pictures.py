"""`make gallery`: the README's pictures, of a section and of the desk as they are now, light and dark.

Each is one small file in static/readme/, which is never served (formation_portal/apps.py).
"""

from __future__ import annotations

import io
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import requests
from PIL import Image

from tests.journeys.actors.realistic_client import RealisticClient
from tests.journeys.browser import launched, sign_in
from tests.journeys.clients import HttpBrowser

PROJECT = Path(__file__).resolve().parents[2]
FOLDER = PROJECT / "static/readme"
PASSWORD = "formation-demo"  # the demo's, printed at every start
WIDTH = 1280
SCHEMES: tuple[Any, ...] = ("light", "dark")
LARGEST = 120_000
_QUALITIES = range(80, 20, -10)
_SECONDS_TO_START = 60
_ANSWERS = {
    "First choice": "Larkfield Holdings",
    "Second choice": "Larkfield Overseas",
    "Name ending": "Limited",
    "Business activities": "Holding company",
    "licence or registration?": "Yes",
    "restricted word": "Yes",
}


def main() -> None:
    """Take them anew, and say how large they are."""
    with running() as base, launched() as chromium:
        customer, agent = (signed_in(base, f"{name}@example.com") for name in ("demo", "agent"))
        client = RealisticClient(customer)
        overview = client.start(customer.get("/products/bvi-limited-company/"))
        section = client.follow(overview, "Name and activities")
        client.fill_in(section, _ANSWERS, button="later")
        client.declare(client.complete(client.start(customer.get("/products/caymans-foundation-company/"))))
        case = agent.get("/desk/").link("Larkfield")
        for name, browser, address in (("section", customer, section.address), ("case", agent, case)):
            for scheme in SCHEMES:
                context = chromium.new_context(viewport={"width": WIDTH, "height": 800}, color_scheme=scheme)
                sign_in(context, base, browser.session.cookies["sessionid"])
                tab = context.new_page()
                tab.goto(base + address, wait_until="networkidle")
                picture = FOLDER / f"{name}-{WIDTH}-{scheme}.webp"
                shrink(tab.screenshot(), picture)
                context.close()
                sys.stdout.write(f"{picture.name} {picture.stat().st_size / 1000:.0f} kB\n")


@contextmanager
def running() -> Iterator[str]:
    """`manage.py serve` on a free port with an empty folder of data; gives its address."""
    with socket.socket() as probe, TemporaryDirectory() as folder:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        base = f"http://localhost:{port}"
        settings = os.environ | {"DATA_DIR": folder, "PORT": str(port), "LOG_LEVEL": "WARNING"}
        server = subprocess.Popen([sys.executable, "manage.py", "serve"], cwd=PROJECT, env=settings, stdout=sys.stderr)
        try:
            wait_for(base, server)
            yield base
        finally:
            server.terminate()
            server.wait(timeout=20)


def wait_for(base: str, server: subprocess.Popen[bytes]) -> None:
    for _ in range(_SECONDS_TO_START * 5):
        if server.poll() is not None:
            raise RuntimeError("the server ended before it answered")
        try:
            requests.get(base, timeout=30)
        except requests.ConnectionError:
            time.sleep(0.2)
        else:
            return
    raise RuntimeError("the server does not answer")


def signed_in(base: str, email: str) -> HttpBrowser:
    """A browser without script for one of the demo's people."""
    browser = HttpBrowser(base)
    form = browser.get("/accounts/login/").form(button="Sign in")
    form.control("E-mail").filled = [email]
    form.control("Password").filled = [PASSWORD]
    browser.send(form, form.button("Sign in"))
    return browser


def shrink(picture: bytes, small: Path) -> None:
    """As good as fits."""
    with Image.open(io.BytesIO(picture)) as image:
        for quality in _QUALITIES:
            image.convert("RGB").save(small, "WEBP", quality=quality, method=6)
            if small.stat().st_size <= LARGEST:
                return
    raise ValueError(f"{small.name} can't be made small enough")


if __name__ == "__main__":
    main()
