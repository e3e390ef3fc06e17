"""Everybody gets at every address the answer that table.md says, and who is refused leaves no trace."""

import re
from typing import Any

import pytest
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from django.apps import apps
from django.core.cache import cache
from django.db import connections, router
from django.test import Client
from django.urls import reverse

from formation_portal.applications.imports.models import PartyImport
from formation_portal.audit.models import Entry
from formation_portal.desk.models import SharedText
from tests.access import people
from tests.access.addresses import PARTS, address
from tests.access.posts import POSTS
from tests.access.table import Row, section
from tests.access.world import NO_RIGHTS, OWNER, STRANGER, World, undone

pytestmark = pytest.mark.usefixtures("_quiet")

DESK, PORTAL, EVERYBODY = section("Desk"), section("Portal"), section("For everybody")
GUESTS, ACCOUNTS, BEFORE_DESK = section("Parts of guests"), section("Accounts"), section("Before the desk")

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
# As a browser asks and as htmx does.
SHORT = (("GET", False), ("POST", True))
LONG = tuple((method, is_htmx) for method in METHODS for is_htmx in (False, True))
by_some_and_by_all_methods = pytest.mark.parametrize(
    "ways", [pytest.param(SHORT, id="get-post"), pytest.param(LONG, id="all-methods", marks=pytest.mark.long)]
)

# Reading a page may write these: sessions, when a case was last opened, when a key was last used.
WRITTEN_BY_READING = {"sessions.Session", "desk.Opening", "service.ApiKey", "core.Counter"}
# Pages that ask for news by themselves get none where nobody is signed in.
NEWS = {"desk:news", "desk:case_news", "portal:status_news"}
# Columns of people who may do all that those of another column may.
FEWER_RIGHTS = {"everything": "all", "claimed": "own", "reads, rights": "reads", "owner": "editor", "editor": "viewer"}
REFUSALS = {"-": 403, "look": 403, "away": 403, "404": 404}
LEADS_TO = {
    "sign in": "/accounts/login/",
    "again": "reauthenticate/?next=",
    "use": "/accounts/2fa/reauthenticate/",
    "set up": "/accounts/2fa/",
    "code": "/code/",
    "part": "/part/",
    "home": "/applications/",
    "elsewhere": "/",
}


class Walk:
    """Ask addresses as one person after another, and note each answer that is not the table's, and each trace."""

    def __init__(self, ways: tuple[tuple[str, bool], ...] = SHORT) -> None:
        self.ways = ways
        self.wrong: list[str] = []
        self.before = traces()

    def ask(self, browser: Client, person: str, row: Row, name: str, path: str, expected: str) -> None:
        """Ask one address by every way as a person who is expected to get one cell's answer."""
        for method, is_htmx in self.ways:
            is_read = method in ("GET", "HEAD")
            if expected == "yes" or (expected in ("look", "away") and is_read):
                with undone(browser):
                    response = ask(browser, method, path)
                is_right = response.status_code == (302 if expected == "away" else row.status(method))
            else:
                response = ask(browser, method, path, is_htmx=is_htmx)
                is_right = response.status_code == 405 or is_refused(response, expected, name, is_htmx=is_htmx)
            if not is_right:
                way = f"{method} by htmx" if is_htmx else method
                self.wrong.append(f"{way} {name} by {person}: {response.status_code}, not “{expected}”")

    def check_traces(self) -> None:
        """Note the tables in which a refused request has left a trace."""
        now = traces()
        self.wrong += [f"a trace in {label}" for label in now if now[label] != self.before[label]]

    def finish(self) -> None:
        self.check_traces()
        assert not self.wrong, "\n".join(self.wrong)


def traces() -> dict[str, int]:
    """Return a digest of all rows of each table, as they are stored."""
    digests = {}
    for model in apps.get_models():
        if model._meta.label not in WRITTEN_BY_READING:
            with connections[router.db_for_read(model)].cursor() as cursor:
                cursor.execute(f'SELECT * FROM "{model._meta.db_table}" ORDER BY 1')
                digests[model._meta.label] = hash(tuple(map(repr, cursor.fetchall())))
    return digests


def ask(browser: Client, method: str, path: str, *, is_htmx: bool = False) -> Any:
    response = browser.generic(method, path, headers={"HX-Request": "true"} if is_htmx else {})
    response.body = b"".join(response)
    return response


def is_refused(response: Any, expected: str, name: str, *, is_htmx: bool = False) -> bool:
    """Tell whether a response is the one that a cell stands for."""
    if expected in REFUSALS:
        return bool(response.status_code == REFUSALS[expected])
    if is_htmx and response.status_code in (204, 401):
        return bool(response.status_code == (204 if name in NEWS else 401))
    target = response.headers.get("Location", "") or response.headers.get("HX-Redirect", "")
    return LEADS_TO[expected] in target


def full_name(row: Row, space: str) -> str:
    return row.name if row.name == "workbench" else f"{space}:{row.name}"


def desk_cell(row: Row, column: str) -> str:
    """Return the answer to an agent of a column; “all + ” before a right says that all_cases stands beside it."""
    right = column.removeprefix("all + ")
    in_words = {"case": "yes" if right != column else "-", "both": "-", "claimed": "yes"}
    return in_words.get(row[right], row[right])


def test_every_address_is_in_the_table_once() -> None:
    rows = [("desk", row) for row in DESK] + [("portal", row) for row in [*PORTAL, *EVERYBODY, *GUESTS]]
    names = [full_name(row, space) for space, row in rows]
    names += [row.name for row in ACCOUNTS if row["method"] == "GET" and " of " not in row.name]
    assert sorted(names) == sorted(PARTS)


@by_some_and_by_all_methods
def test_an_agent_opens_what_their_rights_open(world: World, ways: Any) -> None:
    walk = Walk(ways)
    beside_all_cases = [f"all + {right}" for right in people.OTHER_RIGHTS]
    one_right = [*people.OTHER_RIGHTS, *beside_all_cases]
    for column in [*list(DESK[0].cells)[3:], *beside_all_cases]:
        with people.at_the_desk(world, column) as browser:
            for row in DESK:
                name, cell = full_name(row, "desk"), desk_cell(row, column)
                if ways is LONG or not _opens_to_less(row, column, cell):
                    walk.ways = _one_way(row) if ways is SHORT and column in one_right else ways
                    walk.ask(browser, column, row, name, address(world, name), cell)
    walk.finish()


def _opens_to_less(row: Row, column: str, cell: str) -> bool:
    """Tell whether a column may open what another, with fewer rights or less time since signing in, opens as well."""
    fewer_rights = "all" if column.startswith("all + ") else FEWER_RIGHTS.get(column, column)
    return cell == "yes" and (column == "an hour ago" or (fewer_rights != column and row[fewer_rights] == "yes"))


def _one_way(row: Row) -> tuple[tuple[str, bool], ...]:
    return SHORT[:1] if row["POST"] == "405" else SHORT[1:]


def test_nobody_else_opens_the_desk(world: World) -> None:
    walk = Walk()
    for gate in BEFORE_DESK:
        with people.before_the_desk(world, gate.name) as browser:
            for row in DESK:
                name = full_name(row, "desk")
                walk.ways = SHORT if gate.name in ("nobody", "customer") else _one_way(row)
                walk.ask(browser, gate.name, row, name, address(world, name), gate["answer"])
    walk.finish()


def test_who_has_no_right_is_refused_whatever_the_address_names(world: World) -> None:
    walk = Walk()
    for row in DESK:
        name = full_name(row, "desk")
        if "reference" in PARTS[name]:
            path = address(world, name, reference="FP-0000-0000-0000")
            for account in (NO_RIGHTS, OWNER):
                walk.ask(world.browsers[account], account, row, name, path, "-")
    walk.finish()


@by_some_and_by_all_methods
def test_a_customer_opens_what_is_theirs(world: World, ways: Any) -> None:
    walk = Walk(ways)
    for column in list(PORTAL[0].cells)[3:]:
        with people.at_the_portal(world, column) as browser:
            for row in PORTAL:
                name = full_name(row, "portal")
                if ways is LONG or not _opens_to_less(row, column, row[column]):
                    walk.ask(browser, column, row, name, address(world, name), row[column])
    walk.finish()


def test_the_rest_is_for_everybody(world: World) -> None:
    walk = Walk()
    for person in ("nobody", OWNER, NO_RIGHTS):
        browser, state = world.browsers.get(person) or Client(), "nobody" if person == "nobody" else "signed in"
        for row in EVERYBODY:
            name = full_name(row, "portal")
            for method in ("GET", "POST"):
                with undone(browser):
                    status = ask(browser, method, address(world, name)).status_code
                if str(status) != row[f"{method}, {state}"]:
                    walk.wrong.append(f"{method} {name} by {person}: {status}")
    walk.finish()


@by_some_and_by_all_methods
def test_a_part_opens_to_its_guest_alone(world: World, ways: Any) -> None:
    walk = Walk(ways)
    for column in list(GUESTS[0].cells)[3:]:
        with people.at_a_part(world, column) as browser:
            walk.before = traces()
            for row in GUESTS:
                name = full_name(row, "portal")
                walk.ask(browser, column, row, name, address(world, name), row[column])
            walk.check_traces()
    assert not walk.wrong, "\n".join(walk.wrong)


def test_an_account_is_changed_by_who_has_shown_who_they_are(world: World) -> None:
    walk = Walk()
    for column in list(ACCOUNTS[0].cells)[2:]:
        # How often an account has asked to change its address is counted there.
        cache.clear()
        with people.at_their_account(world.accounts[OWNER], column) as browser:
            for row in ACCOUNTS:
                with undone(browser):
                    response = browser.generic(*_account_request(world, row))
                if not _is_account_answer(response, row[column]):
                    where = response.headers.get("Location", "")
                    walk.wrong.append(f"{row['method']} {row.name} by {column}: {response.status_code} {where}")
    walk.finish()


def _account_request(world: World, row: Row) -> tuple[str, str, str, str]:
    """Return method, path, body and type of a row's request."""
    name, _, whose = row.name.partition(" of ")
    values = {"key": "set-password", "uidb36": "1", "pk": 1}
    if name == "account_confirm_email":
        account = world.accounts[STRANGER if whose else OWNER]
        other = EmailAddress.objects.create(user=account, email="new@example.com", verified=False)
        values["key"] = str(EmailConfirmationHMAC(other).key)
    fields = {"account_email": "action_add=1&email=other@example.com", "usersessions_list": "all=1"}
    path = reverse(name, kwargs={part: values[part] for part in PARTS[name]})
    return row["method"], path, fields.get(name, ""), "application/x-www-form-urlencoded"


def _is_account_answer(response: Any, expected: str) -> bool:
    if expected.isdigit():
        return bool(response.status_code == int(expected))
    return response.status_code == 302 and is_refused(response, expected, "")


def test_what_belongs_to_others_is_found_under_no_address_of_ones_own(world: World) -> None:
    """Name an application that the person may open, and a child of the stranger's."""
    walk = Walk()
    named_alike = {"reference", "page", "key", "name", "kind", "code"}
    people_of = {"desk": ("claimed", "everything"), "portal": ("owner", "editor")}
    # Nothing is at these addresses for anybody.
    empty = {row.name for row in PORTAL if row["GET"] == row["POST"] == "404"} | {"party_known"}
    for space, rows in (("desk", DESK), ("portal", PORTAL)):
        for row in rows:
            name = full_name(row, space)
            if "reference" not in PARTS[name] or set(PARTS[name]) <= named_alike or row.name in empty:
                continue
            state = "submitted" if space == "desk" else "draft"
            path = address(world, name, world.strangers[state], reference=world.own[state].reference)
            for person in [column for column in people_of[space] if row[column] == "yes"]:
                browser = people.browser_of(world, person)
                for method, is_htmx in SHORT:
                    status = ask(browser, method, path, is_htmx=is_htmx).status_code
                    # A GET may lead back to the case, and a post without a version may be outdated first.
                    if status not in (302, 404, 405, 409):
                        walk.wrong.append(f"{method} {name} by {person}: {status}")
    walk.finish()


def test_a_part_opens_no_document_of_another(world: World) -> None:
    with people.at_a_part(world, "guest") as browser:
        for name in ("portal:part_document", "portal:part_document_removal"):
            for number in (world.own["draft"].own_document, world.strangers["draft"].document):
                path = reverse(name, args=[world.own["draft"].part, number])
                assert ask(browser, "GET", path).status_code == 404
                assert ask(browser, "POST", path).status_code in (404, 405)


def test_another_customers_record_is_as_absent_as_one_that_never_was(world: World) -> None:
    browser, walk = world.browsers[STRANGER], Walk()
    for row in PORTAL:
        name = full_name(row, "portal")
        if "reference" not in PARTS[name]:
            continue
        path, nowhere = address(world, name), address(world, name, reference="FP-0000-0000-0000")
        for method, is_htmx in SHORT:
            first, second = (ask(browser, method, to, is_htmx=is_htmx) for to in (path, nowhere))
            bodies = _without_address(first.body, path), _without_address(second.body, nowhere)
            if first.status_code != second.status_code or bodies[0] != bodies[1]:
                walk.wrong.append(f"{method} {path}")
    walk.finish()


def _without_address(body: bytes, path: str) -> bytes:
    """Take its own address, token, nonce and clock out of a page."""
    pattern = rb'name="csrfmiddlewaretoken" value="[^"]+"|<p id="session-clock".*?</p>|nonce=[\w-]{22}'
    return re.sub(pattern, b"", body, flags=re.DOTALL).replace(path.encode(), b"")


def test_a_filled_in_form_does_something_for_who_may_and_nothing_for_others(world: World) -> None:
    walk = Walk()
    cells = {full_name(row, space): row for space, rows in (("desk", DESK), ("portal", PORTAL)) for row in rows}
    for post in POSTS:
        things = post.things(world)
        path, data, done = address(world, post.name, things), post.data(world, things), _done()
        for account, columns in people.COLUMNS_OF_ACCOUNT.items():
            browser, cell = world.browsers[account], _cell_of(cells[post.name], columns)
            if account in post.senders:
                with undone(browser):
                    response = browser.post(path, _rewound(data))
                    if response.status_code != post.status or _done() == done:
                        walk.wrong.append(f"{post.name} by {account} does nothing: {response.status_code}")
            elif cell not in ("yes", "again"):
                response = browser.post(path, _rewound(data))
                if not is_refused(response, cell, post.name):
                    walk.wrong.append(f"{post.name} by {account}: {response.status_code}, not “{cell}”")
        assert _done() == done, f"{post.name} by somebody who may not does something"
    walk.finish()


def _cell_of(row: Row, columns: tuple[str, ...]) -> str:
    """Return the answer to an account; each is in a column of the desk and in one of the portal."""
    cells = [desk_cell(row, column) for column in columns if column in row.cells]
    return cells[0] if cells else "-"


def _done() -> tuple[Any, ...]:
    """Return what tells that something was done: nearly all of it is in the audit log."""
    texts, sheets = SharedText.objects.order_by("pk"), PartyImport.objects.order_by("pk")
    return Entry.objects.count(), tuple(texts.values_list()), tuple(sheets.values_list("pk"))


def _rewound(data: dict[str, Any]) -> dict[str, Any]:
    """Set the files of a form back to their beginning, to be sent once more."""
    for value in data.values():
        if hasattr(value, "seek"):
            value.seek(0)
    return data
