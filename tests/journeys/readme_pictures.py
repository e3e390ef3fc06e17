"""`make gallery`: the README's pictures, of a section and of the desk as they are now, light and dark.

Each is one small file in static/readme/, which is never served (formation_portal/apps.py).
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image

from tests.journeys.actors.realistic_client import RealisticClient
from tests.journeys.browser import launched, sign_in
from tests.journeys.clients import HttpBrowser
from tests.management.served import READY, Served, free_port

PROJECT = Path(__file__).resolve().parents[2]
FOLDER = PROJECT / "static/readme"
PASSWORD = "formation-demo"  # the demo's, printed at every start
WIDTH = 1280
SCHEMES: tuple[Any, ...] = ("light", "dark")
LARGEST = 120_000
_QUALITIES = range(80, 20, -10)
_ANSWERS = {
    "First choice": "Larkfield Holdings",
    "Second choice": "Larkfield Overseas",
    "Name ending": "Limited",
    "Business activities": "Holding company",
    "licence or registration?": "Yes",
    "restricted word": "Yes",
}


def main() -> None:
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
    """Serve the demo with an empty folder of data."""
    with TemporaryDirectory() as folder:
        portal = Served(Path(folder), free_port(), {"LOG_LEVEL": "WARNING"}).start()
        try:
            portal.until(READY)
            yield f"http://localhost:{portal.port}"
        finally:
            portal.end()


def signed_in(base: str, email: str) -> HttpBrowser:
    browser = HttpBrowser(base)
    form = browser.get("/accounts/login/").form(button="Sign in")
    form.control("E-mail").filled = [email]
    form.control("Password").filled = [PASSWORD]
    browser.send(form, form.button("Sign in"))
    return browser


def shrink(picture: bytes, small: Path) -> None:
    with Image.open(io.BytesIO(picture)) as image:
        for quality in _QUALITIES:
            image.convert("RGB").save(small, "WEBP", quality=quality, method=6)
            if small.stat().st_size <= LARGEST:
                return
    raise ValueError(f"{small.name} can't be made small enough")


if __name__ == "__main__":
    main()
