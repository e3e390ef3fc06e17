"""What is asked for the golden pages: each scene adds the answers to requests of one kind to its album."""

import json
import re
from collections.abc import Callable
from typing import Any

from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from django.template.loader import render_to_string
from django.test import Client, RequestFactory
from django.urls import reverse

from formation_portal.mail.models import Email
from tests import factories
from tests.access import people
from tests.access.addresses import PARTS, address
from tests.access.posts import POSTS
from tests.access.table import Row
from tests.access.test_table import ACCOUNTS, DESK, EVERYBODY, GUESTS, PORTAL, full_name
from tests.access.world import CLAIMANT, NO_RIGHTS, OWNER, REVIEWER, STRANGER, VIEWER, Things, World, undone
from tests.accounts.people import PASSWORD, add_app
from tests.golden.album import Album
from tests.golden.golden_world import GoldenWorld

Scene = Callable[[GoldenWorld, Album], None]

HTMX = {"HX-Request": "true"}
# Pages that say something else in each state of an application.
CUSTOMERS_PAGES = ("overview", "status", "section", "people", "party", "shares", "documents", "check", "withdrawal")
AGENTS_PAGES = ("case", "party", "decision", "service_status", "deliveries", "document_page")

# After these a page says what was done.
FOLLOWED = {"decision", "decision_confirmation", "decision_refusal", "decision_withdrawal", "claim", "submission"}


def get(album: Album, browser: Client, name: str, path: str, who: str, **headers: str) -> None:
    with undone(browser):
        album.add(name, browser.get(path, headers=headers), who=who)


def post(album: Album, browser: Client, name: str, path: str, data: Any, who: str, **headers: str) -> None:
    with undone(browser):
        album.add(name, browser.post(path, data, headers=headers), who=who)


def page_version(browser: Client, path: str) -> dict[str, str]:
    """Return the hidden fields by which a page says from what it was drawn."""
    html = browser.get(path).content.decode()
    return dict(re.findall(r'name="(version|drawn)"[^>]*?value="([^"]+)"', html))


def ask_rows(album: Album, world: World, rows: list[Row], space: str, who: str) -> None:
    for row in rows:
        get(album, world.browsers.get(who) or Client(), row.name, address(world, full_name(row, space)), who)


def ask_in_state(album: Album, world: World, browser: Client, names: Any, state: str, things: Things) -> None:
    for name in names:
        get(album, browser, f"{name.partition(':')[2]} {state}", address(world, name, things), "reader")


def portal(golden: GoldenWorld, album: Album) -> None:
    ask_rows(album, golden.world, PORTAL, "portal", OWNER)


def portal_of_a_viewer(golden: GoldenWorld, album: Album) -> None:
    rows = [row for row in PORTAL if row[VIEWER] != row[OWNER] or row.name in (*CUSTOMERS_PAGES, "applications")]
    ask_rows(album, golden.world, rows, "portal", VIEWER)


def portal_by_state(golden: GoldenWorld, album: Album) -> None:
    names = [f"portal:{name}" for name in CUSTOMERS_PAGES]
    world, browser = golden.world, golden.world.browsers[OWNER]
    for state in ("submitted", "returned", "proposed"):
        ask_in_state(album, world, browser, names, state, world.own[state])
    customer = factories.browser_of(golden.customer)
    for state, things in (("new", golden.new), ("varied", golden.varied), ("reviewed", golden.reviewed)):
        ask_in_state(album, world, customer, names, state, things)
    get(album, customer, "applications of the customer", reverse("portal:applications"), "reader")
    funds = reverse("portal:section", args=[golden.varied.reference, "funds"])
    get(album, customer, "section funds varied", funds, "reader")


def everybody(golden: GoldenWorld, album: Album) -> None:
    ask_rows(album, golden.world, EVERYBODY, "portal", "nobody")
    for name in ("catalog", "product", "session", "display", "help"):
        path = address(golden.world, f"portal:{name}")
        get(album, golden.world.browsers[OWNER], f"{name} of an owner", path, OWNER)
    get(album, Client(), "catalog found", "/?q=bvi", "nobody", **HTMX)
    get(album, Client(), "no page", "/nowhere/", "nobody")


def gallery(golden: GoldenWorld, album: Album) -> None:
    browser = Client()
    for page in ("gallery_letters", "gallery_errors"):
        html = browser.get(reverse(f"portal:{page}")).content.decode()
        for path in sorted(set(re.findall(r'(?:href|src)="(/gallery/[^"]+)"', html))):
            get(album, browser, path.removeprefix("/gallery/"), path, "nobody")


def errors(golden: GoldenWorld, album: Album) -> None:
    request = RequestFactory().get("/")
    for name in ("400.html", "500.html", "503.html"):
        album.add_html(name, render_to_string(name, {}, request=request))


def guests(golden: GoldenWorld, album: Album) -> None:
    world = golden.world
    for column in [column for column in list(GUESTS[0].cells)[3:] if column not in ("owner", "agent")]:
        with people.at_a_part(world, column) as browser:
            for row in GUESTS:
                name = f"{row.name} {column}"
                if column in ("guest", "link opened") or row.name in ("part", "part_code"):
                    get(album, browser, name, address(world, full_name(row, "portal")), "guest")


def accounts(golden: GoldenWorld, album: Album) -> None:
    world = golden.world
    for column in ("nobody", "signed in", "past the factor"):
        with people.at_their_account(world.accounts[OWNER], column) as browser:
            for row in ACCOUNTS:
                if row[column].isdigit() and " of " not in row.name:
                    with undone(browser):
                        response = browser.generic(row["method"], account_path(world, row.name))
                        album.add(f"{row['method']} {row.name} {column}", response, who=column)


def signing_in(golden: GoldenWorld, album: Album) -> None:
    account, browser = golden.world.accounts[OWNER], Client()
    form = {"login": account.email, "password": PASSWORD}
    post(album, browser, "wrong password", "/accounts/login/", form | {"password": "not this"}, "nobody")
    add_app(account)
    album.add("right password", browser.post("/accounts/login/", form), who="nobody")
    album.add("second factor", browser.get("/accounts/2fa/authenticate/"), who="nobody")
    wrong = browser.post("/accounts/2fa/authenticate/", {"code": "1"})
    album.add("wrong second factor", wrong, who="nobody")
    asking = Client()
    asking.post("/accounts/password/reset/", {"email": account.email})
    album.add("new password", asking.get(latest_path("/accounts/password/reset/key/"), follow=True), who="nobody")


def account_deletion(golden: GoldenWorld, album: Album) -> None:
    browser = golden.world.browsers[STRANGER]
    browser.post("/accounts/reauthenticate/", {"password": PASSWORD})
    path = reverse("portal:account_deletion")
    get(album, browser, "asked", path, STRANGER)
    post(album, browser, "nothing filled in", path, {}, STRANGER)


def collaboration(golden: GoldenWorld, album: Album) -> None:
    world, form = golden.world, {"email": golden.world.accounts[STRANGER].email, "right": "edit"}
    path, browser = address(world, "portal:access"), world.browsers[OWNER]
    album.add("invited", browser.post(path, form, follow=True), who=OWNER)
    invited = Client()
    album.add("link", invited.get(latest_path("/collaboration/"), follow=True), who="nobody")
    invited.force_login(world.accounts[STRANGER])
    album.add("link when signed in", invited.get(latest_path("/collaboration/"), follow=True), who=STRANGER)


def letters(golden: GoldenWorld, album: Album) -> None:
    number = Email.objects.filter(kind="invitation").latest("pk").number
    for name in ("letter", "letter_body"):
        get(album, Client(), name, reverse(f"portal:{name}", args=[number]), "nobody")


def latest_path(start: str) -> str:
    link = re.search(rf"https?://[^/\s]+({re.escape(start)}\S+)", Email.objects.latest("pk").text)
    assert link is not None
    return link[1]


def account_path(world: World, name: str) -> str:
    values = {"key": "set-password", "uidb36": "1", "pk": 1}
    if name == "account_confirm_email":
        other, _ = EmailAddress.objects.get_or_create(
            user=world.accounts[OWNER], email="new@example.com", defaults={"verified": False}
        )
        values["key"] = str(EmailConfirmationHMAC(other).key)
    return reverse(name, kwargs={part: values[part] for part in PARTS[name]})


def desk(golden: GoldenWorld, album: Album) -> None:
    ask_rows(album, golden.world, DESK, "desk", REVIEWER)


def desk_of_others(golden: GoldenWorld, album: Album) -> None:
    world = golden.world
    for who in (CLAIMANT, NO_RIGHTS):
        for name in ("queue", "case", "party", "decision", "deliveries"):
            get(album, world.browsers[who], f"{name} {who}", address(world, f"desk:{name}"), who)


def desk_by_state(golden: GoldenWorld, album: Album) -> None:
    names = [f"desk:{name}" for name in AGENTS_PAGES]
    world, browser = golden.world, golden.world.browsers[REVIEWER]
    for state in ("draft", "returned", "proposed"):
        ask_in_state(album, world, browser, names, state, world.own[state])
    ask_in_state(album, world, browser, names, "reviewed", golden.reviewed)
    ask_in_state(album, world, browser, names, "varied", golden.varied_submitted)
    get(
        album,
        world.browsers[CLAIMANT],
        "case proposed claimant",
        address(world, "desk:case", world.own["proposed"]),
        CLAIMANT,
    )


def desk_fragments(golden: GoldenWorld, album: Album) -> None:
    world, browser = golden.world, golden.world.browsers[REVIEWER]
    for name in ("news", "case_news", "queries"):
        get(album, browser, name, address(world, f"desk:{name}"), "agent", **HTMX)
    party = address(world, "desk:party")
    for target in ("viewer", "numbers"):
        get(album, browser, f"party {target}", party, "agent", **HTMX, **{"HX-Target": target})
    shown = browser.post(address(world, "desk:numbers"), headers=HTMX | {"HX-Target": "numbers"})
    album.add("numbers shown", shown, who="agent")
    number = world.own["submitted"].document
    get(album, browser, "paper opened", f"{party}?open=1&document={number}", "agent", **HTMX, **{"HX-Target": "viewer"})
    html = browser.get(address(world, "desk:case")).content.decode()
    for place, path in enumerate(sorted(set(re.findall(r'hx-get="(/desk/[^"]+/remarks/[^"]*)"', html)))[:2]):
        get(album, browser, f"query panel {place}", path.replace("&amp;", "&"), "agent", **HTMX)


def empty_forms_of_the_portal(golden: GoldenWorld, album: Album) -> None:
    send_empty_forms(album, golden.world, PORTAL, "portal", OWNER)


def empty_forms_of_the_desk(golden: GoldenWorld, album: Album) -> None:
    send_empty_forms(album, golden.world, DESK, "desk", REVIEWER)


def send_empty_forms(album: Album, world: World, rows: list[Row], space: str, who: str) -> None:
    """Send each form of a table without any field."""
    for row in rows:
        if row["POST"] != "405":
            path = address(world, full_name(row, space))
            post(album, world.browsers[who], row.name, path, {}, who)
            if row["POST"] != "302":
                post(album, world.browsers[who], f"{row.name} by htmx", path, {}, who, **HTMX)


def filled_in_forms_of_the_portal(golden: GoldenWorld, album: Album) -> None:
    send_filled_in_forms(album, golden.world, "portal")


def filled_in_forms_of_the_desk(golden: GoldenWorld, album: Album) -> None:
    send_filled_in_forms(album, golden.world, "desk")


def send_filled_in_forms(album: Album, world: World, space: str) -> None:
    """Send each form, filled in so that it does something."""
    for form in [form for form in POSTS if form.name.startswith(f"{space}:")]:
        things = form.things(world)
        path, browser = address(world, form.name, things), world.browsers[form.senders[0]]
        name = form.name.partition(":")[2]
        post(album, browser, name, path, form.data(world, things), space)
        if name in FOLLOWED:
            with undone(browser):
                response = browser.post(path, form.data(world, things), follow=True)
                album.add(f"{name} followed", response, who=space)


def section(golden: GoldenWorld, album: Album) -> None:
    path, browser = address(golden.world, "portal:section"), golden.world.browsers[OWNER]
    with undone(browser):
        page, other = page_version(browser, path), page_version(browser, path)

        def change(name: str, version: dict[str, str], answers: dict[str, str], **more: str) -> None:
            typed = {f"q:{key}": value for key, value in answers.items()}
            album.add(name, browser.post(path, version | typed | more, headers=HTMX), who=OWNER)

        change("saved", page, {"name": "Kestrel"}, partial="1")
        change("question shown", page, {"activity": "Trading"}, partial="1")
        change("question answered", page, {"goods": "Tea"}, partial="1")
        change("question hidden", page, {"activity": "Holding company"}, partial="1")
        change(
            "mistaken", page, {"started_on:day": "99", "started_on:month": "1", "started_on:year": "2024"}, partial="1"
        )
        change("too long", page, {"name": "x" * 600}, partial="1")
        change("changed elsewhere", other, {"activity": "Trading"}, partial="1")
        change("in conflict", other, {"name": "Larkfield"}, partial="1")
        change("in conflict as a whole", {"version": "0"}, {"name": "Larkfield", "activity": "Trading"})
        changed = {"version": "0", "q:name": "Larkfield", "q:activity": "Trading"}
        album.add("page in conflict", browser.post(path, changed), who=OWNER)
        wrong = page_version(browser, path) | {"q:name": "x" * 600, "q:started_on:day": "99"}
        album.add("page with mistakes", browser.post(path, wrong), who=OWNER)


def party(golden: GoldenWorld, album: Album) -> None:
    path, browser = address(golden.world, "portal:party"), golden.world.browsers[OWNER]
    with undone(browser):
        page, other = page_version(browser, path), page_version(browser, path)

        def change(name: str, version: dict[str, str], typed: dict[str, str]) -> None:
            album.add(name, browser.post(path, version | typed | {"partial": "1"}, headers=HTMX), who=OWNER)

        change("saved", page, {"q:person.first_name": "Augusta"})
        change("question shown", page, {"q:xy.person.is_pep": "true"})
        change("question hidden", page, {"q:xy.person.is_pep": "false"})
        change("mistaken", page, {"q:person.date_of_birth:day": "99", "q:person.date_of_birth:month": "x"})
        change("in conflict", other, {"q:person.first_name": "Adelaide"})
        stale = {"version": "0", "roles": ["", "director"], "q:person.first_name": "Adelaide"}
        album.add("page in conflict", browser.post(path, stale), who=OWNER)


def shares(golden: GoldenWorld, album: Album) -> None:
    customer, things = factories.browser_of(golden.customer), golden.varied
    path = address(golden.world, "portal:shares", things)
    with undone(customer):
        page, other = page_version(customer, path), page_version(customer, path)

        def change(name: str, version: dict[str, str], number: str, *, headers: dict[str, str]) -> None:
            typed = {"holding:siobhan:voting": number, "holding:zoe:preference": "7"}
            album.add(name, customer.post(path, version | typed, headers=headers), who="customer")

        change("saved", page, "5,000", headers=HTMX)
        change("mistaken", page_version(customer, path), "many", headers=HTMX)
        change("page with mistakes", page_version(customer, path), "many", headers={})
        change("in conflict", other, "17", headers=HTMX)
        change("page in conflict", {"version": "0"}, "18", headers={})


def share_class(golden: GoldenWorld, album: Album) -> None:
    customer, things = factories.browser_of(golden.customer), golden.varied
    path = address(golden.world, "portal:share_class", things)
    page = page_version(customer, path)
    for name, typed in {
        "saved": {"q:name": "A", "q:currency": "EUR", "q:par_value": "2.5"},
        "mistaken": {"q:name": "A" * 600, "q:currency": "EUR", "q:par_value": "two"},
    }.items():
        post(album, customer, f"{name} by htmx", path, page | typed, "customer", **HTMX)
        post(album, customer, name, path, page | typed, "customer")


def uploads(golden: GoldenWorld, album: Album) -> None:
    path, browser = address(golden.world, "portal:documents"), golden.world.browsers[OWNER]
    files = {
        "not a document": (factories.archive(), "plan.zip"),
        "empty": (b"", "plan.pdf"),
        "broken": (b"%PDF-1.7 nothing", "plan.pdf"),
        "taken": (factories.PDF, "plan.pdf"),
    }
    for name, (content, file_name) in files.items():
        for headers in ({}, HTMX):
            data = {"slot": "/Business plan", "file": factories.upload(content, file_name)}
            post(album, browser, f"{name}{' by htmx' if headers else ''}", path, data, OWNER, **headers)
    section = address(golden.world, "portal:section")
    data = page_version(browser, section) | {
        "upload": "/Business plan",
        "file:/Business plan": factories.upload(b"x", "a.exe"),
    }
    post(album, browser, "in a section", section, data, OWNER)


def people_search(golden: GoldenWorld, album: Album) -> None:
    customer, path = factories.browser_of(golden.customer), address(golden.world, "portal:people", golden.varied)
    for words in ("zo", "nobody of that name"):
        post(album, customer, f"found {words}", path, {"q": words}, "customer", **HTMX)


def workbench(golden: GoldenWorld, album: Album) -> None:
    browser, path = golden.world.browsers[REVIEWER], reverse("workbench")
    data = {"schema": json.dumps(factories.SCHEMA)}
    post(album, browser, "shown", path, data, "agent")
    post(album, browser, "not readable", path, {"schema": "{"}, "agent")
    post(album, browser, "by htmx", path, data | {"q:activity": "Trading"}, "agent", **HTMX)


SCENES: tuple[Scene, ...] = (
    portal,
    portal_of_a_viewer,
    portal_by_state,
    everybody,
    gallery,
    errors,
    guests,
    accounts,
    signing_in,
    account_deletion,
    collaboration,
    letters,
    desk,
    desk_of_others,
    desk_by_state,
    desk_fragments,
    empty_forms_of_the_portal,
    empty_forms_of_the_desk,
    filled_in_forms_of_the_portal,
    filled_in_forms_of_the_desk,
    section,
    party,
    shares,
    share_class,
    uploads,
    people_search,
    workbench,
)
