"""Pictures of every page and state: `python -m tests.journeys.page_states.screenshots FOLDER [NAME …]`.

It serves the portal from an empty folder of its own, works as the demo's two people, and takes each page in full: wide
and narrow, light and dark, as FOLDER/NAME-WIDTH-SCHEME.png. Names given after the folder choose among the pages.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import requests
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Page as Tab

from tests.journeys.actors.realistic_client import RealisticClient
from tests.journeys.browser import launched, sign_in
from tests.journeys.clients import Browser, HttpBrowser
from tests.journeys.page import Page

PROJECT = Path(__file__).resolve().parents[3]
PASSWORD = "formation-demo"  # the demo's, printed at every start
WIDTHS = (1280, 320)
SCHEMES: tuple[Any, ...] = ("light", "dark")
_SECONDS_TO_START = 60

Act = Callable[[Tab], object]


@dataclass(frozen=True)
class Shot:
    """One picture: its name, the page's address, who looks, and what is done there first."""

    name: str
    address: str
    who: str = "customer"
    act: Act | None = None
    is_whole: bool = True


@contextmanager
def running() -> Iterator[str]:
    """`manage.py serve` on a free port with an empty folder of data; gives its address."""
    with socket.socket() as probe, TemporaryDirectory() as folder:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        base = f"http://localhost:{port}"
        settings = os.environ | {"DATA_DIR": folder, "PORT": str(port), "LOG_LEVEL": "WARNING"}
        command = [sys.executable, "manage.py", "serve"]
        server = subprocess.Popen(command, cwd=PROJECT, env=settings, stdout=sys.stderr)
        try:
            _wait_for(base, server)
            yield base
        finally:
            server.terminate()
            server.wait(timeout=20)


def _wait_for(base: str, server: subprocess.Popen[bytes]) -> None:
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


class Story:
    """What happens at the site, stage by stage; each gives the pictures that can be taken after it."""

    def __init__(self, customer: Browser, agent: Browser) -> None:
        self.customer = customer
        self.agent = agent
        self.realistic_client = RealisticClient(customer)

    def at_first(self) -> list[Shot]:
        """Nothing is there but the catalog and two people."""
        nobody = {
            "catalog": "/",
            "catalog-none": "/?type=Foundation&price=USD-500",
            "catalog-filtered": "/?region=Caribbean",
            "catalog-ticked": "/?region=Caribbean&product=texas-llc&product=bahamas-ibc",
            "compare": "/compare/?product=bvi-limited-company&product=gmbh-zug&product=ch-foundation",
            "compare-left-out": "/compare/?product=texas-llc&product=gmbh-zug&product=hk-limited-company"
            "&product=ch-foundation&product=nowhere",
            "compare-none": "/compare/",
            "guide": "/guide/?people=1&days=5",
            "guide-none": "/guide/?form=Foundation&region=Caribbean&price=USD-500",
            "product": "/products/bvi-limited-company/",
            "checklist": "/products/ch-foundation/checklist/",
            "sign-in": "/accounts/login/",
            "sign-up": "/accounts/signup/",
            "password-reset": "/accounts/password/reset/",
        }
        return [
            *(Shot(name, address, who="nobody") for name, address in nobody.items()),
            Shot("sign-in-refused", "/accounts/login/", who="nobody", act=_sign_in_wrongly),
            Shot("not-found", "/applications/FP-0000-0000-0000/status/"),
            Shot("applications-none", "/applications/"),
            Shot("product-foundation", "/products/caymans-foundation-company/"),
            Shot("account", "/accounts/email/"),
            Shot("account-password", "/accounts/password/change/"),
            Shot("account-two-step", "/accounts/2fa/"),
            Shot("account-app", "/accounts/2fa/totp/activate/"),
            Shot("account-passkey", "/accounts/2fa/webauthn/add/"),
            Shot("account-devices", "/accounts/sessions/"),
            Shot("sign-out", "/accounts/logout/"),
            Shot("queue-none", "/desk/", who="agent"),
            Shot("deliveries-none", "/desk/deliveries/", who="agent"),
        ]

    def untouched(self) -> list[Shot]:
        """A foundation that was only started, and one to type nonsense into."""
        root = self._start("caymans-foundation-company").address
        scratch = self._start("caymans-foundation-company").address
        return [
            Shot("overview-untouched", root),
            Shot("people-untouched", f"{root}people/"),
            Shot("check-untouched", f"{root}check/"),
            Shot("section-errors", f"{scratch}sections/governance/", act=_type_nonsense),
        ]

    def halfway(self) -> list[Shot]:
        """Larkfield Holdings: opened questions, people, shares; much is still needed."""
        realistic_client, overview = self.realistic_client, self._start("bvi-limited-company")
        root = overview.address
        name = realistic_client.follow(overview, "Name and activities")
        realistic_client.fill_in(name, LARKFIELD, button="later")
        realistic_client.fill_in(realistic_client.follow(overview, "Filings"), EXEMPT, button="later")
        realistic_client.complete_page(realistic_client.follow(overview, "Funds and compliance"))
        for kind in ("person", "company"):
            people = realistic_client.follow(overview, "Shareholders")
            realistic_client.add(people, people.by_heading("Shareholders"), choice=kind)
        use = realistic_client.follow(overview, "Shareholders").form(button="Use ")
        self.customer.send(use, use.button("Use "))
        for _ in range(2):
            realistic_client.add(realistic_client.follow(overview, "Share classes"), None)
        shares = realistic_client.follow(overview, "Share classes")
        grid = shares.form(button="Save")
        for control, number in zip(grid.controls, ("18000", "4000", "9000", ""), strict=False):
            control.filled = [number]
        self.customer.send(grid, grid.button("Save"))
        people = realistic_client.follow(overview, "Shareholders")
        person, company = (address for text, address in people.links() if text.startswith(("Edit", "Open")))
        new = next(address for text, address in people.links() if text.startswith("Add")).partition("?")[0]
        share_class = next(address for _, address in shares.links() if "/classes/" in address and "new" not in address)
        links = self.customer.get(f"{root}shares/").links()
        holding = next(address for _, address in links if "/holdings/" in address)
        return [
            Shot("applications", "/applications/"),
            Shot("overview", root),
            Shot("section", name.address),
            # The picture of the README.
            Shot("section-top", realistic_client.follow(overview, "Filings").address, is_whole=False),
            Shot("section-addresses", realistic_client.follow(overview, "Office, tax").address),
            Shot("section-conflict", name.address, act=_save_what_is_old),
            Shot("people", people.address),
            Shot("spreadsheet", f"{root}people/spreadsheet/"),
            Shot("invitation", f"{person}invitation/"),
            Shot("party-new-kind", f"{new}?role=shareholder"),
            Shot("party-new", f"{new}?role=shareholder&kind=person"),
            Shot("party", person),
            Shot("party-company", company),
            Shot("owners", f"{company}owners/"),
            Shot("owners-errors", f"{company}owners/", act=_leave_an_owner_out),
            Shot("party-errors", person, act=_mistype_a_date),
            Shot("party-removal", f"{person}removal/"),
            Shot("shares", f"{root}shares/"),
            Shot("share-class-new", f"{root}shares/classes/new/"),
            Shot("share-class", share_class),
            Shot("share-class-removal", f"{share_class}removal/"),
            Shot("holding-removal", holding),
            Shot("documents", f"{root}documents/"),
            Shot("check", f"{root}check/"),
            Shot("draft-removal", f"{root}removal/"),
            Shot("copy", f"{root}copy/"),
            Shot("carry-over-choice", f"{root}carry-over/"),
            Shot("carry-over", f"{root}carry-over/?product=seychelles-ibc"),
        ]

    def complete(self) -> list[Shot]:
        """A foundation with everything answered."""
        check = self.realistic_client.complete(self._start("caymans-foundation-company"))
        root = check.address.removesuffix("check/")
        self.finished = check
        links = self.customer.get(f"{root}documents/").links()
        removal = next(address for _, address in links if address.endswith("/removal/"))
        return [
            Shot("overview-complete", root),
            Shot("check-complete", check.address),
            Shot("documents-complete", f"{root}documents/"),
            Shot("document-removal", removal),
            Shot("declaration-missing", check.address, act=lambda tab: press(tab, "Submit")),
        ]

    def submitted(self) -> list[Shot]:
        """The same, submitted; and the desk."""
        status = self.realistic_client.declare(self.finished)
        root = status.address.removesuffix("status/")
        case = self.agent.get("/desk/").link("Larkfield")
        return [
            Shot("status", status.address),
            Shot("applications-submitted", "/applications/"),
            Shot("section-closed", f"{root}sections/governance/"),
            Shot("check-submitted", f"{root}check/"),
            Shot("withdrawal", f"{root}withdrawal/"),
            Shot("queue", "/desk/", who="agent"),
            Shot("case", case, who="agent"),
            Shot("audit", "/desk/audit/", who="agent"),
            Shot("audit-entry", "/desk/audit/1/", who="agent"),
        ]

    def _start(self, slug: str) -> Page:
        return self.realistic_client.start(self.customer.get(f"/products/{slug}/"))


LARKFIELD = {
    "First choice": "Larkfield Holdings",
    "Second choice": "Larkfield Overseas",
    "Name ending": "Limited",
    "Business activities": "Holding company",
    "licence or registration?": "Yes",
    "restricted word": "Yes",
}

EXEMPT = {"Beneficial owner filing": "Exempt"}


def press(tab: Tab, words: str) -> None:
    """Press a button of the page, and wait for the page that it leads to."""
    with tab.expect_navigation():
        tab.locator("main button:visible").filter(has_text=words).first.click()


def _sign_in_wrongly(tab: Tab) -> None:
    tab.get_by_label("E-mail").fill("ingrid@solheim.example")
    tab.get_by_label("Password", exact=True).fill("not this one")
    press(tab, "Sign in")


def _type_nonsense(tab: Tab) -> None:
    tab.get_by_label("Shares", exact=True).check()
    tab.get_by_label("Amount").fill("a lot")
    press(tab, "Save and continue")


def _save_what_is_old(tab: Tab) -> None:
    old = "inputs => inputs.forEach((input) => { input.value = '0' })"
    tab.locator("main :is([name=version], [name=drawn])").evaluate_all(old)
    tab.get_by_label("First choice of name").evaluate("input => { input.value = 'Larkfield Group' }")
    press(tab, "Save and continue")


def _leave_an_owner_out(tab: Tab) -> None:
    tab.get_by_label("do they own?").fill("most of it")
    press(tab, "Save and add another")


def open_folds(tab: Tab) -> None:
    """Show the questions of what is complete and read back."""
    tab.locator(".fold").evaluate_all("folds => folds.forEach((fold) => { fold.open = true; })")


def _mistype_a_date(tab: Tab) -> None:
    open_folds(tab)
    birth = tab.get_by_role("group", name="Date of birth")
    for part, text in (("Day", "31"), ("Month", "2"), ("Year", "1984")):
        birth.get_by_label(part).evaluate("(input, text) => { input.value = text }", text)
    press(tab, "Save and continue")


def take(base: str, folder: Path, wanted: set[str], *, has_whole: bool = True) -> None:
    """Go through the story, and take the pictures of each stage in every width and scheme, whole or the top."""
    sessions = {"customer": signed_in(base, "demo@example.com"), "agent": signed_in(base, "agent@example.com")}
    story = Story(sessions["customer"], sessions["agent"])
    with launched() as browser:
        views = [(width, scheme, who) for width in WIDTHS for scheme in SCHEMES for who in ("nobody", *sessions)]
        tabs = {}
        for width, scheme, who in views:
            context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
            if who in sessions:
                sign_in(context, base, sessions[who].session.cookies["sessionid"])
            context.set_default_timeout(10_000)
            tabs[width, scheme, who] = context.new_page()
        # Its states are Shots of this module.
        from tests.journeys.page_states.workbench import workbench_states

        stages = (story.at_first, workbench_states, story.untouched, story.halfway, story.complete, story.submitted)
        for stage in stages:
            for shot in stage():
                if wanted and shot.name not in wanted:
                    continue
                for (width, scheme, who), tab in tabs.items():
                    if who == shot.who:
                        path = folder / f"{shot.name}-{width}-{scheme}.png"
                        _take_one(tab, base, replace(shot, is_whole=shot.is_whole and has_whole), path)


def _take_one(tab: Tab, base: str, shot: Shot, path: Path) -> None:
    tab.goto(base + shot.address)
    try:
        if shot.act:
            shot.act(tab)
    except PlaywrightError as error:
        sys.stderr.write(f"{path.name} shows the page as it was: {error.message}\n")
    # Pictures within a page come after it.
    tab.wait_for_load_state("networkidle")
    tab.screenshot(path=path, full_page=shot.is_whole)


def main(folder: str, *names: str) -> None:
    """Take the pictures that are named, or all of them."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    with running() as base:
        take(base, Path(folder), set(names))


if __name__ == "__main__":
    main(*sys.argv[1:])
