"""Every page in every state of the golden scenes, as the server draws it, and a tab that shows one without a server."""

from __future__ import annotations

from dataclasses import dataclass
from mimetypes import guess_type
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from allauth.mfa.models import Authenticator
from django.test import Client
from django.urls import reverse
from lxml import html as lxml_html
from playwright.sync_api import Page as Tab
from playwright.sync_api import Route

from formation_portal.applications import services
from formation_portal.applications.draft import open_draft
from formation_portal.applications.models import Application
from formation_portal.mail.outbox import unsubscribe_path
from tests.access import people
from tests.access.addresses import address
from tests.access.world import OWNER, undone
from tests.accounts.people import PASSWORD
from tests.golden.album import Album
from tests.golden.golden_world import GoldenWorld
from tests.golden.markup_lines import Volatile
from tests.golden.scenes import SCENES, get

BASE = "http://portal.example"
_AROUND_PARTS = """<!doctype html><html lang="en"><head><title>Parts</title></head>
  <body><form id="answers"></form><form id="filter"></form>{}</body></html>"""


@dataclass(frozen=True)
class DrawnPage:
    """An answer of the server. `is_part`: regions that answer a change, in a document of our own."""

    name: str
    view: str
    path: str
    status: int
    html: str
    is_part: bool

    @property
    def look(self) -> frozenset[tuple[str, str]]:
        elements = lxml_html.fromstring(self.html).xpath("//main//*[not(ancestor::svg)]")
        return frozenset((str(element.tag), element.get("class", "")) for element in elements)

    @property
    def is_for_agents(self) -> bool:
        return self.path.startswith(("/desk/", "/workbench/"))


class PageAlbum(Album):
    def __init__(self, group: str, volatile: Volatile) -> None:
        super().__init__(group, volatile)
        self.pages: list[DrawnPage] = []

    def add(self, name: str, response: Any, *, who: str) -> None:
        html = b"".join(response).decode(errors="replace")
        if not response.get("Content-Type", "").startswith("text/html") or not html:
            return
        is_part = not html.lstrip().lower().startswith("<!doctype")
        html = _AROUND_PARTS.format(html) if is_part else html
        request = response.wsgi_request
        view = request.resolver_match.view_name if request.resolver_match else ""
        self.pages.append(DrawnPage(f"{self.group}/{name}", view, request.path, response.status_code, html, is_part))

    def add_html(self, name: str, html: str) -> None:
        self.pages.append(DrawnPage(name, "", "/", int(name[:3]), html, is_part=False))


def rare_pages(golden: GoldenWorld, album: Album) -> None:
    """Draw what the golden scenes have none of: the table of access has no row for which these are there."""
    world = golden.world
    owner, things = world.accounts[OWNER], world.own["draft"]
    draft = open_draft(Application.objects.get(pk=things.case))
    company = services.add_party(draft, "corporate", ["shareholder"], {"corporate.name": "Kestrel B.V."}, by=owner)
    get(album, world.browsers[OWNER], "owners", reverse("portal:owners", args=[things.reference, company.token]), OWNER)
    late = Client()
    late.post(address(world, "portal:section"), {"version": "0", "q:name": "Larkfield"})
    signed_in = late.post("/accounts/login/", {"login": owner.email, "password": PASSWORD}, follow=True)
    album.add("unsent", signed_in, who=OWNER)
    get(album, Client(), "no more reminders", unsubscribe_path(kind="reminder", to="ada@example.com"), "nobody")
    get(album, Client(), "help about an operator", reverse("portal:help_place", args=["AE"]), "nobody")
    with people.at_their_account(owner, "past the factor") as browser:
        passkey = Authenticator.objects.create(user=owner, type="webauthn", data={"name": "Key", "credential": {}})
        for name in ("mfa_edit_webauthn", "mfa_remove_webauthn"):
            get(album, browser, name, reverse(name, args=[passkey.pk]), OWNER)


def draw_pages(golden: GoldenWorld) -> list[DrawnPage]:
    pages = []
    for scene in (*SCENES, rare_pages):
        album = PageAlbum(scene.__name__, golden.volatile)
        with undone(*golden.world.browsers.values()):
            scene(golden, album)
        pages += album.pages
    return pages


def show(tab: Tab, page: DrawnPage, static_files: Path) -> None:
    """Open a page in a tab; style sheets and scripts come from the folder, and nothing else answers."""

    def answer(route: Route) -> None:
        path = urlsplit(route.request.url).path
        file = static_files / path.removeprefix("/static/")
        if route.request.is_navigation_request():
            route.fulfill(body=page.html, content_type="text/html; charset=utf-8")
        elif path.startswith("/static/") and file.is_file():
            route.fulfill(body=file.read_bytes(), content_type=guess_type(file.name)[0] or "text/plain")
        else:
            route.fulfill(status=204)

    tab.unroute_all()
    tab.route("**/*", answer)
    tab.goto(BASE + page.path)
