"""An application for a Delaware LLC, its owner's tab at the first section, and what is held back on its way."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Locator, Route
from playwright.sync_api import Page as Tab

from formation_portal.applications.draft import open_draft
from formation_portal.applications.models import Application
from tests.journeys.browser import TabBrowser
from tests.journeys.conftest import OpenTab
from tests.journeys.drafts import started

PASSWORD = "quite-a-long-one"
NAME = "Kite LLC"


@pytest.fixture
def application(site: str) -> Application:
    return started("delaware-llc", password=PASSWORD)[0]


@pytest.fixture
def section(open_tab: OpenTab, application: Application) -> TabBrowser:
    """Open the section that asks whether an activity is regulated and, if so, about the licence."""
    return open_section(open_tab, application)


@pytest.fixture
def tab(section: TabBrowser) -> Tab:
    return section.tab


def open_section(open_tab: OpenTab, application: Application) -> TabBrowser:
    browser = open_tab(application.owner)
    browser.get(f"/applications/{application.reference}/sections/name-and-activities/")
    return browser


def name_field(tab: Tab) -> Locator:
    return tab.get_by_label("First choice of name")


def type_name(tab: Tab, name: str = NAME) -> None:
    """Type the name and leave its field, so that it is posted."""
    name_field(tab).fill(name)
    name_field(tab).blur()


def answers(application: Application) -> dict[str, Any]:
    return dict(open_draft(application).entity_raw)


def saved_name(application: Application) -> Any:
    return answers(application).get("entity.name")


def press(tab: Tab, button: str) -> None:
    with tab.expect_navigation():
        tab.get_by_role("button", name=button).click()


def expect_post(tab: Tab) -> Any:
    """Wait, when left, for the answer to a post."""
    return tab.expect_response(lambda answer: answer.request.method == "POST")


@contextmanager
def change_under_way(tab: Tab) -> Iterator[list[Route]]:
    """While it lasts, what the page posts has not reached the server."""
    held: list[Route] = []
    is_over = False

    def hold(route: Route) -> None:
        if route.request.method == "POST" and not is_over:
            held.append(route)
        else:
            route.continue_()

    tab.route("**/applications/**", hold)
    yield held
    is_over = True
    for route in held:
        route.continue_()
