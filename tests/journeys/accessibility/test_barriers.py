"""No page and no state of one puts up a barrier: axe finds nothing in either theme, and nothing scrolls sideways."""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib.auth import get_user_model
from django.template.loader import render_to_string
from django.test import RequestFactory, override_settings
from django.utils import timezone
from playwright.sync_api import Page as Tab

from formation_portal.accounts.demo import ensure_demo_accounts
from formation_portal.accounts.unsent_forms import UnsentForm
from formation_portal.applications import services
from formation_portal.applications.draft import keep_schema, open_draft
from formation_portal.applications.models import Application
from formation_portal.contract.lifecycle import State
from formation_portal.gateway import catalog
from formation_portal.relay.models import Attempt, Delivery, DeliveryState, Look, Reason
from formation_portal.relay.service_profile import update_profile
from formation_portal.relay.worker import drain
from formation_portal.ui.forms.form_data import recognised_answers
from tests.encrypted_rows import update_each
from tests.journeys.accessibility.barriers import HEIGHT, WIDE, badly_printed, barriers, too_wide
from tests.journeys.accessibility.page_behaviour import (
    AGENTS,
    CUSTOMERS,
    MOST_SHIFT,
    behaviour_problems,
    record_hosts,
    shifted,
)
from tests.journeys.browser import TabBrowser
from tests.journeys.conftest import OpenTab
from tests.journeys.page_states.api_keys import api_key_states
from tests.journeys.page_states.audit import audit_states
from tests.journeys.page_states.case_review import case_review_states
from tests.journeys.page_states.decisions import decision_states
from tests.journeys.page_states.documents import document_states
from tests.journeys.page_states.mail_and_sessions import mail_and_session_states
from tests.journeys.page_states.party_review import party_review_states
from tests.journeys.page_states.people import people_states
from tests.journeys.page_states.privacy import privacy_states
from tests.journeys.page_states.queue import queue_states
from tests.journeys.page_states.returned import returned_states
from tests.journeys.page_states.screenshots import Shot, Story, press, signed_in
from tests.journeys.page_states.sharing import sharing_states
from tests.journeys.page_states.statistics import statistics_states
from tests.journeys.page_states.workbench import workbench_states
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]

_DELIVERIES = (DeliveryState.WAITING, DeliveryState.UNKNOWN, DeliveryState.HELD, DeliveryState.SENDING)


# Pages that are answers to what can't be had.
_REFUSED = {"not-found", "not-found-outside", "product-not-found", "forbidden", "no-catalog"}
# What the page shows is set by the e-mail itself, or by the library that documents the interface.
_NOT_OURS = ("letter-html", "interface")
_REFUSED |= {"file-removed"}
_REFUSED |= {"part-unknown", "part-expired", "collaboration-shut", "right-missing", "case-not-claimed", "case-own"}


class Walk:
    """Three people's tabs, and everything that was in their way."""

    def __init__(self, open_tab: OpenTab) -> None:
        ensure_demo_accounts()
        person = get_user_model().objects.get
        self.tabs: dict[str, TabBrowser] = {
            "nobody": open_tab(None),
            "customer": open_tab(person(email="demo@example.com")),
            "agent": open_tab(person(email="agent@example.com")),
        }
        self.found: list[str] = []
        self.seen: set[str] = set()
        self.hosts = {who: record_hosts(browser.tab) for who, browser in self.tabs.items()}

    def look(self, shot: Shot) -> None:
        """Open the page, do what leads to the state, and look."""
        browser = self.tabs[shot.who]
        browser.tab.set_viewport_size({"width": WIDE, "height": HEIGHT})
        opened = browser.tab.goto(browser.base + shot.address)
        assert opened is not None
        assert (opened.status >= 400) == (shot.name in _REFUSED), f"{shot.name}: {opened.status}"
        if (shift := shifted(browser.tab)) > MOST_SHIFT:
            self.found.append(f"{shot.name}: shifts by {shift:.3f} while it loads")
        if shot.act:
            shot.act(browser.tab)
        self.seen.add(shot.name)
        self.found += [f"{shot.name}: {one}" for one in barriers(browser.tab)]
        if not shot.name.startswith(_NOT_OURS):
            least = AGENTS if shot.who == "agent" else CUSTOMERS
            self.found += [f"{shot.name}: {one}" for one in behaviour_problems(browser.tab, least=least)]
            self.found += [f"{shot.name}: {one}" for one in (*too_wide(browser.tab), *badly_printed(browser.tab))]
        self.found += [f"{shot.name}: asks {host}" for host in self.hosts[shot.who] - {urlsplit(browser.base).netloc}]
        self.hosts[shot.who].clear()


@pytest.fixture
def walk(open_tab: OpenTab) -> Walk:
    return Walk(open_tab)


@pytest.mark.long
def test_no_page_of_a_story_puts_up_a_barrier(walk: Walk, site: str) -> None:
    story = Story(signed_in(site, "demo@example.com"), signed_in(site, "agent@example.com"))
    for stage in (story.at_first, story.untouched, story.halfway, story.complete, story.submitted):
        for shot in stage():
            walk.look(shot)
    for shot in _after_the_story():
        walk.look(shot)
    assert not walk.found, "\n".join(walk.found)
    assert len(walk.seen) > 50


@pytest.mark.long
def test_no_page_that_says_what_went_wrong_puts_up_a_barrier(walk: Walk, site: str) -> None:
    for shot in _error_states():
        walk.look(shot)
    with _no_service():
        walk.look(Shot("no-catalog", "/", who="nobody"))
    assert not walk.found, "\n".join(walk.found)


@pytest.mark.long
def test_no_page_of_the_audit_puts_up_a_barrier(walk: Walk) -> None:
    for shot in audit_states():
        walk.look(shot)
    assert not walk.found, "\n".join(walk.found)


@pytest.mark.long
def test_no_page_of_api_keys_puts_up_a_barrier(walk: Walk) -> None:
    for shot in api_key_states():
        walk.look(shot)
    assert not walk.found, "\n".join(walk.found)


@pytest.mark.long
def test_no_decision_about_a_case_puts_up_a_barrier(walk: Walk) -> None:
    for shot in decision_states():
        walk.look(shot)
    assert not walk.found, "\n".join(walk.found)


@pytest.mark.long
def test_no_page_of_the_statistics_puts_up_a_barrier(walk: Walk) -> None:
    for shot in statistics_states():
        walk.look(shot)
    assert not walk.found, "\n".join(walk.found)


@pytest.mark.long
def test_no_state_of_the_workbench_puts_up_a_barrier(walk: Walk) -> None:
    for shot in workbench_states():
        walk.look(shot)
    assert not walk.found, "\n".join(walk.found)


@pytest.mark.long
def test_no_page_about_people_puts_up_a_barrier(walk: Walk) -> None:
    for shot in people_states():
        walk.look(shot)
    assert not walk.found, "\n".join(walk.found)


@pytest.mark.long
def test_no_page_of_mail_and_sessions_puts_up_a_barrier(walk: Walk) -> None:
    for shot in mail_and_session_states():
        walk.look(shot)
    assert not walk.found, "\n".join(walk.found)


@pytest.mark.long
def test_no_page_of_sharing_puts_up_a_barrier(walk: Walk) -> None:
    for shot in sharing_states():
        walk.look(shot)
    assert not walk.found, "\n".join(walk.found)


@pytest.mark.long
def test_no_state_of_the_queue_puts_up_a_barrier(walk: Walk) -> None:
    for shot in queue_states():
        walk.look(shot)
    assert not walk.found, "\n".join(walk.found)


@pytest.mark.long
def test_no_page_of_a_returned_application_puts_up_a_barrier(walk: Walk) -> None:
    for shot in returned_states():
        walk.look(shot)
    assert not walk.found, "\n".join(walk.found)


@pytest.mark.long
def test_no_state_of_a_case_under_review_puts_up_a_barrier(walk: Walk) -> None:
    for shot in case_review_states():
        walk.look(shot)
    assert not walk.found, "\n".join(walk.found)


@pytest.mark.long
def test_no_state_of_a_party_under_review_puts_up_a_barrier(walk: Walk) -> None:
    for shot in party_review_states():
        walk.look(shot)
    assert not walk.found, "\n".join(walk.found)


@pytest.mark.long
def test_no_page_about_documents_puts_up_a_barrier(walk: Walk) -> None:
    for shot in document_states():
        walk.look(shot)
    assert not walk.found, "\n".join(walk.found)


@pytest.mark.long
def test_no_page_of_privacy_puts_up_a_barrier(walk: Walk) -> None:
    for shot in privacy_states():
        walk.look(shot)
    assert not walk.found, "\n".join(walk.found)


def _after_the_story() -> Iterator[Shot]:
    """What the story leaves out: the service's answers, the desk's decisions, a session's end."""
    drain()
    draft = Application.objects.filter(state=State.DRAFT, product__product__slug="bvi-limited-company").latest("pk")
    root = f"/applications/{draft.reference}/"
    for state in _DELIVERIES:
        Delivery.objects.filter(application=draft, kind="entity").update(state=state)
        yield Shot(f"overview-{state}", root)
        yield Shot(f"section-{state}", f"{root}sections/name-and-activities/")
    problem = {"field": "entity.name", "code": "taken", "message": "Choose another name: this one is taken"}
    update_each(
        Delivery.objects.filter(application=draft, kind="entity"), state=DeliveryState.REFUSED, problems=[problem]
    )
    yield Shot("overview-refused", root)
    yield Shot("section-refused", f"{root}sections/name-and-activities/")
    yield Shot("check-refused", f"{root}check/")

    yield from _form_changed(draft)

    yield from _deliveries_to_resolve(draft)

    submitted = Application.objects.exclude(submitted_at=None).latest("pk")
    desk = f"/desk/{submitted.reference}/"
    for state in set(State) - {State.DRAFT, State.SUBMITTED_FOR_REVIEW}:
        Application.objects.filter(pk=submitted.pk).update(state=state)
        yield Shot(f"status-{state}", f"/applications/{submitted.reference}/status/")
        yield Shot(f"case-{state}", desk, who="agent")
    yield from _returned_by_the_service(submitted)
    for page in ("people/", "documents/", "check/"):
        yield Shot(f"closed-{page}", f"/applications/{submitted.reference}/{page}")
    yield Shot("unsent", f"{root}sections/name-and-activities/", act=_sign_in_again)


def _returned_by_the_service(submitted: Application) -> Iterator[Shot]:
    """Returned with reasons about an answer and a document; then without a reason."""
    root = f"/applications/{submitted.reference}/"
    Application.objects.filter(pk=submitted.pk).update(state=State.SUBMITTED_FOR_REVIEW)
    draft = open_draft(Application.objects.get(pk=submitted.pk))
    document = next(one for one in draft.documents if one.party)
    section = draft.schema.entity_sections[0].key
    of_document = {
        "party": document.party and document.party.token,
        "slot": document.slot,
        "message": "The page is cut off",
    }
    of_name = {"field": "entity.name", "message": "Choose another name"}
    rows = Delivery.objects.filter(application=submitted)
    for kind, details in (("document", of_document), ("entity", of_name)):
        problem = {"field": "", "code": "invalid", "section": section} | details
        update_each(rows.filter(kind=kind), state=DeliveryState.DONE, problems=[])
        first = rows.filter(kind=kind, **({"subject": document.subject} if kind == "document" else {})).first()
        update_each(rows.filter(pk=first and first.pk), state=DeliveryState.REFUSED, problems=[problem])
    services.reopen(draft, reason="The formation service asks for a change")
    yield Shot("returned", f"{root}status/")
    yield Shot("overview-returned", root)
    yield Shot("check-returned", f"{root}check/")
    update_each(rows, state=DeliveryState.DONE, problems=[])
    yield Shot("returned-without-remarks", f"{root}status/")
    Application.objects.filter(pk=submitted.pk).update(state=State.INCORPORATED)


def _form_changed(draft: Application) -> Iterator[Shot]:
    """A draft that was started with an earlier form."""
    present, document = draft.schema_version, deepcopy(draft.schema_version.document)
    [first, *others] = document["sections"][0]["fields"]
    document["sections"][0]["fields"] = [first | {"label": "An earlier name"}, *others[1:]]
    Application.objects.filter(pk=draft.pk).update(schema_version=keep_schema(document | {"version": "earlier"}))
    root = f"/applications/{draft.reference}/"
    yield Shot("overview-form-changed", root)
    yield Shot("new-form", f"{root}new-form/")
    Application.objects.filter(pk=draft.pk).update(schema_version=present)


def _deliveries_to_resolve(draft: Application) -> Iterator[Shot]:
    """What only an agent can resolve, and a service in trouble."""
    soon = timezone.now() + timedelta(minutes=5)
    update_profile(paused_until=soon, pause_reason="key", open_until=soon, failures=7)
    rows = list(draft.deliveries.exclude(kind__endswith="_csp"))
    troubles = (
        ("held", Reason.UNCLEAR),
        ("held", Reason.AMBIGUOUS),
        ("done", Reason.DUPLICATE),
        ("held", Reason.UNSUPPORTED),
        ("unknown", Reason.UNCLEAR),
    )
    for row, (state, reason) in zip(rows, troubles, strict=False):
        there = None if state == "held" else row.acknowledged
        update_each(Delivery.objects.filter(pk=row.pk), state=state, reason=reason, acknowledged=there)
        Attempt.objects.create(delivery=row, key="a" * 32, request_id="b" * 32, outcome="Unclear", status=502)
        Look.objects.create(delivery=row, records=2, matches=["c" * 60], conclusion="several may be it")
    yield Shot("deliveries", "/desk/deliveries/", who="agent")
    for row, (state, reason) in zip(rows, troubles, strict=False):
        yield Shot(f"delivery-{state}-{reason}", f"/desk/deliveries/{row.pk}/", who="agent")
    page = f"/desk/deliveries/{rows[0].pk}/"
    yield Shot("delivery-nothing-chosen", page, who="agent", act=lambda tab: press(tab, "Record decision"))
    yield Shot("delivery-decided", page, who="agent", act=_declare_absent)
    for place in ("", "people/", "shares/", "documents/", "check/"):
        yield Shot(f"unsettled-{place}", f"/applications/{draft.reference}/{place}")
    draft.deliveries.update(state=DeliveryState.DONE, reason="")
    update_profile(paused_until=None, open_until=None)


def _declare_absent(tab: Tab) -> None:
    tab.locator("#decision-absent").check()
    press(tab, "Record decision")


def _error_states() -> Iterator[Shot]:
    yield Shot("not-found-outside", "/nowhere/", who="nobody")
    yield Shot("not-found", "/applications/FP-0000-0000-0000/")
    yield Shot("product-not-found", "/products/nowhere/", who="nobody")
    yield Shot("forbidden", "/desk/")
    yield Shot("csrf", "/accounts/login/", who="nobody", act=_lose_token)
    yield Shot("interface", "/api/v1/docs", who="nobody")
    for name in ("400.html", "500.html", "503.html"):
        yield Shot(name, "/", who="nobody", act=_drawing(name))
    controls = (("q:name", ("Larkfield Holdings and Sons " * 5,)), ("q:purpose", ("x" * 200,)))
    kept = {
        "unsent": UnsentForm("/", controls, had_files=True),
        "typed": recognised_answers(controls),
        "csrf_token": "t",
    }
    yield Shot("503-with-form", "/", who="nobody", act=_drawing("503.html", outage="full", **kept))


@contextmanager
def _no_service() -> Iterator[None]:
    """A service that never answers, and no old catalog to show."""
    with override_settings(FORMATION_SERVICE_URL="http://127.0.0.1:9", FORMATION_SERVICE_KEY="none"):
        catalog.forget()
        yield
    catalog.forget()


def _sign_in_again(tab: Tab) -> None:
    """A save after the session has ended leads through sign-in to what was typed."""
    tab.context.clear_cookies(name="sessionid")
    with tab.expect_navigation():
        tab.get_by_role("button", name="Save and continue").click()
    tab.get_by_label("E-mail").fill("demo@example.com")
    tab.get_by_label("Password", exact=True).fill("formation-demo")
    with tab.expect_navigation():
        tab.get_by_role("button", name="Sign in").click()
    assert "unsent" in tab.url


def _lose_token(tab: Tab) -> None:
    tab.locator("main [name=csrfmiddlewaretoken]").first.evaluate("input => input.remove()")
    tab.get_by_label("E-mail").fill("ida@example.com")
    tab.get_by_label("Password", exact=True).fill("whatever it was")
    with tab.expect_navigation():
        tab.get_by_role("button", name="Sign in").click()


def _drawing(name: str, **context: Any) -> Any:
    """Draws a page that only a fault of the server shows."""

    def draw(tab: Tab) -> None:
        body = render_to_string(name, context, request=RequestFactory().get("/"))
        address = f"{tab.url}drawn/{name}"
        tab.route(address, lambda route: route.fulfill(body=body, content_type="text/html; charset=utf-8"))
        tab.goto(address)
        tab.unroute_all()

    return draw
