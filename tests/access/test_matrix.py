"""Who may ask for what: every address by every method, whole and as htmx asks, for nobody, customers and agents.

The table is written down here, and not read from the views. Whoever may not is turned away, always in the same way, and
leaves no trace; another customer's record is as absent as one that never was. What may be posted is posted, and does
something (posts.py). Each test asks one world about everybody: to make it takes longer than to ask.
"""

import logging
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from typing import Any

import pytest
from django.apps import apps
from django.db import transaction
from django.test import Client
from django.urls import URLResolver, get_resolver, reverse

from formation_portal.applications.imports.models import PartyImport
from formation_portal.audit.models import Entry
from formation_portal.desk.models import SharedText
from formation_portal.gateway import catalog
from tests.access.posts import POSTS
from tests.access.world import (
    ACTORS,
    AGENTS,
    ALL,
    ANONYMOUS,
    APPLICANT,
    ASSIGNED,
    EDITOR,
    NO_RIGHTS,
    OTHER,
    OWNER,
    Things,
    World,
    build,
)

pytestmark = pytest.mark.django_db(databases=["default", "service"])

# Their views answer for themselves: tests/accounts/test_policies.py says why.
ELSEWHERE = ("/accounts/", "/api/")

EVERYBODY = frozenset(ACTORS)
WORKING = frozenset(AGENTS) - {NO_RIGHTS}
# What each address is, by its name, and for whom.
TABLE: dict[frozenset[str], str] = {
    frozenset(AGENTS): "desk: queue news statistics",
    WORKING: "desk: claims assignments releases next_case claim assignment release audit audit_table audit_entry"
    " statistics_table texts text text_removal api_keys api_key_revocation workbench",
    frozenset({ALL, APPLICANT}): "desk: deliveries",
    frozenset({ASSIGNED, ALL}): "desk: delivery delivery_resolution case case_news queries query_removal"
    " query_resolution notes note_removal acceptances reopenings record record_pdf document document_page"
    " document_picture decision decision_confirmation decision_refusal decision_withdrawal decision_undo"
    " service_status service_status_dismissal party evidence numbers"
    " screening screening_file screening_removal party_erasure",
    frozenset({OWNER, EDITOR, APPLICANT}): "portal: overview copy carry_over new_form section replies"
    " choice_restoration people party_new party_known spreadsheet spreadsheet_xlsx spreadsheet_csv party_import"
    " party_import_removal party party_roles party_duplicate owners party_removal party_restoration shares"
    " share_class_new share_class share_class_removal holding_removal share_owner documents document"
    " document_thumbnail document_page document_picture document_removal check status status_news record record_pdf"
    " keeping",
    frozenset({OWNER}): "portal: removal submission withdrawal access collaborator collaborator_removal invitation"
    " invitation_withdrawal invitation_reminder",
    EVERYBODY - {ANONYMOUS}: "portal: applications collaboration unsent your_data data_export account_deletion",
    # A part is for whoever has opened its link in this browser, whoever else they are.
    frozenset(): "portal: part part_code part_renewal part_choice_restoration part_completion part_leave part_document"
    " part_document_removal",
    EVERYBODY: "portal: catalog compare guide product checklist part_link collaboration_link gallery gallery_errors"
    " gallery_error gallery_letters gallery_letter display language privacy terms accessibility help help_place session"
    " session_extension account_deleted operator_accent operator_logo service_events letters letter letter_body"
    " letter_refusal",
}
MAY: dict[str, frozenset[str]] = {}
for _who, _named in TABLE.items():
    _room, _, _views = _named.partition(": ")
    MAY |= {one if one == "workbench" else f"{_room}:{one}": _who for one in _views.split()}
# An application that is not a draft, by what is asked for.
SUBMITTED = {"portal:status", "portal:status_news", "portal:withdrawal"}
# Nothing is there for anybody: no choice to undo, no picture as small, no such place in the help.
NOTHING_THERE = {
    *("portal:choice_restoration", "portal:owners", "portal:part_link", "portal:help_place", "portal:gallery_error"),
    *("portal:operator_accent", "portal:operator_logo", "portal:letter", "portal:letter_body", "portal:letter_refusal"),
    *("portal:collaboration", "portal:party_known", "portal:document_thumbnail"),
}
# What is shown to every agent, and not done by the applicant.
OWN_CASES = {("desk:claim", APPLICANT), ("desk:assignment", APPLICANT)}
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
HTMX = {"HX-Request": "true"}


def named_addresses(
    resolver: Any = None, space: str = "", above: tuple[str, ...] = (), prefix: str = "/"
) -> Iterator[Any]:
    """Every address's name, with the names of what stands in it."""
    for one in (resolver or get_resolver()).url_patterns:
        parts, route = (*above, *one.pattern.converters), prefix + str(one.pattern)
        if route.startswith(ELSEWHERE):
            continue
        if isinstance(one, URLResolver):
            yield from named_addresses(one, f"{space}{one.namespace}:" if one.namespace else space, parts, route)
        else:
            yield f"{space}{one.name}", parts


ADDRESSES = dict(named_addresses())


def address(world: World, name: str, things: Things | None = None, reference: str = "") -> str:
    """The address about these things; those of the state that is asked for where none are named."""
    state = "submitted" if name.startswith("desk:") or name in SUBMITTED else "draft"
    things = things or getattr(world, "returned" if name == "portal:replies" else state)
    view = name.rpartition(":")[2]
    numbers = {
        "choice_restoration": things.change,
        "collaborator": things.collaborator,
        "collaborator_removal": things.collaborator,
        "query_removal": things.draft_query,
        "query_resolution": things.sent_query,
        "note_removal": things.note,
        "screening_file": things.screening,
        "screening_removal": things.screening,
        "delivery": things.delivery,
        "delivery_resolution": things.delivery,
        "audit_entry": world.entry,
        "text": world.text,
        "text_removal": world.text,
        "api_key_revocation": world.key,
        "letter": "00000000-0000-0000-0000-000000000000",
        "letter_body": "00000000-0000-0000-0000-000000000000",
    }
    tokens = {
        "share_class": things.share_class,
        "share_class_removal": things.share_class,
        "party_import": things.sheet,
        "party_import_removal": things.sheet,
        "party_restoration": things.removed,
    }
    is_part = view == "part" or (view.startswith("part_") and view != "part_link")
    values = {
        "reference": reference or (world.draft.part if is_part else things.reference),
        "token": tokens.get(view, things.token),
        "party": things.token,
        "share_class": things.share_class,
        "number": numbers.get(view, things.document),
        "page": 1,
        "key": "the-company",
        "name": "open",
        "kind": "code",
        "code": "pep",
    }
    return reverse(name, kwargs={part: values[part] for part in ADDRESSES[name]})


@contextmanager
def undone(browser: Client) -> Iterator[None]:
    """Whatever is done within is as if it had never been, for the browser too: who is signed out within stays in."""
    cookies = deepcopy(browser.cookies)
    with ExitStack() as stack:
        stack.callback(setattr, browser, "cookies", cookies)
        for alias in ("default", "service"):
            stack.enter_context(transaction.atomic(using=alias))
        yield
        for alias in ("default", "service"):
            transaction.set_rollback(True, using=alias)


# What a page that is read may write: sessions, when a case was looked at, when a key was used.
_READING = {"sessions.Session", "desk.Opening", "service.ApiKey", "core.Counter"}


def traces() -> dict[str, int]:
    """All rows of all tables, as a number each."""
    models = (one for one in apps.get_models() if one._meta.label not in _READING)
    return {
        one._meta.label: hash(tuple(map(repr, one._default_manager.order_by("pk").values_list()))) for one in models
    }


def ask(browser: Client, method: str, path: str, *, is_htmx: bool = False) -> Any:
    answer = browser.generic(method, path, headers=HTMX if is_htmx else {})
    answer.body = b"".join(answer)
    return answer


def is_turned_away(answer: Any, name: str, who: str) -> bool:
    """Whether somebody is, as they have to be. A view that doesn't take the method says so to everybody."""
    if answer.status_code == 405:
        return True
    if who == ANONYMOUS and MAY[name]:
        to = answer.headers.get("Location", "") or answer.headers.get("HX-Redirect", "")
        # A page that asks for news by itself stays as it is, with what is typed on it.
        is_left_alone = answer.status_code == 204 and name.endswith("news")
        return answer.status_code == 401 or is_left_alone or "/accounts/login/?next=" in to
    # A collaborator sees the application, and may not do what binds its owner.
    is_half_in = who in (EDITOR, APPLICANT) and MAY[name] == {OWNER}
    return bool(answer.status_code == (404 if name.startswith("portal:") and not is_half_in else 403))


def without_own_address(body: bytes, path: str) -> bytes:
    """A page without its own address, tokens, nonce and clock."""
    plain = rb'name="csrfmiddlewaretoken" value="[^"]+"|<p id="session-clock".*?</p>|nonce=[\w-]{22}'
    return re.sub(plain, b"", body, flags=re.DOTALL).replace(path.encode(), b"")


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.fixture
def world(settings: Any, tmp_path: Any) -> World:
    settings.MEDIA_ROOT, settings.RELAY_WAIT_MS, settings.FOUR_EYES = tmp_path / "documents", 0, True
    # There is none in these databases, whatever another test has had read and left in its folder.
    settings.DATA_DIR = tmp_path
    catalog.forget()
    return build()


def test_every_address_is_in_the_table_once() -> None:
    assert set(ADDRESSES) == set(MAY)
    assert sum(len(views.split()) - 1 for views in TABLE.values()) == len(MAY)


def test_nobody_gets_further_than_the_table_says(world: World) -> None:
    """In short: what is everybody's is asked for by two of them."""
    _walk(world, [("GET", False), ("POST", True)], of_everybodys=(ANONYMOUS, NO_RIGHTS))


@pytest.mark.long
def test_nobody_gets_further_by_any_method(world: World) -> None:
    _walk(world, [(method, is_htmx) for method in METHODS for is_htmx in (False, True)])


def _walk(world: World, ways: list[tuple[str, bool]], *, of_everybodys: tuple[str, ...] = ACTORS) -> None:
    before, wrong = traces(), []
    for who, browser in world.browsers.items():
        for name, may in MAY.items():
            if may == EVERYBODY and who not in of_everybodys:
                continue
            path = address(world, name)
            for method, is_htmx in ways:
                if who in may and not (method == "POST" and (name, who) in OWN_CASES):
                    with undone(browser):
                        status = ask(browser, method, path, is_htmx=is_htmx).status_code
                    nothing = {404} if name not in NOTHING_THERE and method in ("GET", "HEAD") else set()
                    is_wrong = status in {401, 403, 500} | nothing and name != "portal:service_events"
                else:
                    is_wrong = not is_turned_away(ask(browser, method, path, is_htmx=is_htmx), name, who)
                if is_wrong:
                    wrong.append(f"{method} {path} ({name}) by {who}{', htmx' if is_htmx else ''}")
    assert not wrong, "\n".join(wrong)
    assert traces() == before


def test_what_belongs_to_others_is_found_under_no_address_of_ones_own(world: World) -> None:
    """The address names an application that the actor may open, and a child of somebody else's."""
    before, wrong = traces(), []
    for who, browser in world.browsers.items():
        for name, may in MAY.items():
            children = set(ADDRESSES[name]) - {"reference", "page", "key", "name", "kind", "code"}
            if who not in may or "reference" not in ADDRESSES[name] or not children or name in NOTHING_THERE:
                continue
            state = "submitted" if name.startswith("desk:") else "draft"
            path = address(world, name, world.elsewhere[state], reference=getattr(world, state).reference)
            for method, is_htmx in (("GET", False), ("POST", True)):
                # Some lead a GET back to the case, and some say first that a post without a version is outdated.
                if ask(browser, method, path, is_htmx=is_htmx).status_code not in (302, 404, 405, 409):
                    wrong.append(f"{method} {path} ({name}) by {who}")
    assert not wrong, "\n".join(wrong)
    assert traces() == before


def test_another_customers_record_is_as_absent_as_one_that_never_was(world: World) -> None:
    browser, before, wrong = world.browsers[OTHER], traces(), []
    for name, may in MAY.items():
        if "reference" not in ADDRESSES[name] or not may <= {OWNER, EDITOR, APPLICANT}:
            continue
        there, nowhere = address(world, name), address(world, name, reference="FP-0000-0000-0000")
        for method, is_htmx in (("GET", False), ("POST", False), ("GET", True), ("POST", True)):
            one, other = (ask(browser, method, path, is_htmx=is_htmx) for path in (there, nowhere))
            is_same = without_own_address(one.body, there) == without_own_address(other.body, nowhere)
            if one.status_code != other.status_code or not is_same:
                wrong.append(f"{method} {there}")
    assert not wrong, "\n".join(wrong)
    assert traces() == before


def test_what_may_be_posted_is_done_and_the_same_from_others_leaves_no_trace(world: World) -> None:
    browsers, before, wrong = world.browsers, traces(), []
    for post in POSTS:
        path, data, done = address(world, post.name, post.of(world)), post.data(world, post.of(world)), deeds()
        for who in ACTORS:
            if who in post.who:
                with undone(browsers[who]):
                    answer = browsers[who].post(path, _rewound(data))
                    if answer.status_code != post.status or deeds() == done:
                        wrong.append(f"{post.name} by {who} does nothing: {answer.status_code}")
            elif who not in MAY[post.name] or (post.name, who) in OWN_CASES:
                answer = browsers[who].post(path, _rewound(data))
                if not is_turned_away(answer, post.name, who):
                    wrong.append(f"{post.name} by {who} is not turned away: {answer.status_code}")
        if deeds() != done:
            wrong.append(f"{post.name} by somebody who may not leaves a trace")
            break
    assert not wrong, "\n".join(wrong)
    assert traces() == before


def deeds() -> tuple[Any, ...]:
    """What tells that something was done: almost all of it is in the audit log."""
    shared, sheets = SharedText.objects.order_by("pk"), PartyImport.objects.order_by("pk")
    return Entry.objects.count(), tuple(shared.values_list()), tuple(sheets.values_list("pk"))


def _rewound(data: dict[str, Any]) -> dict[str, Any]:
    """The same to be sent once more: files are read from their beginning."""
    for value in data.values():
        if hasattr(value, "seek"):
            value.seek(0)
    return data
