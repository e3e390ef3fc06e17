"""A page that is loaded again while a save of it is on its way shows what was typed, and is no other window."""

import threading
import time
from typing import Any

import pytest
from playwright.sync_api import Page as Tab
from playwright.sync_api import expect

from formation_portal.applications import services
from formation_portal.applications.draft import open_draft
from formation_portal.applications.models import Application
from tests.journeys.chromium.test_questions import application, at_section
from tests.journeys.conftest import OpenTab
from tests.needed import has_chromium, needed

__all__ = ["application"]

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]

Opened = tuple[Application, Any]
NAME, MORE = "Kite LLC", "Kite and Kestrel LLC"


class LateSave:
    """The first save that reaches the server waits there until the test lets it go on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._save = services.save_answers
        self._is_first = True
        self._has_come = threading.Event()
        self._may_go_on = threading.Event()
        self._is_over = threading.Event()
        monkeypatch.setattr(services, "save_answers", self._wait_and_save)

    def _wait_and_save(self, *args: Any, **more: Any) -> services.SaveResult:
        if not self._is_first:
            return self._save(*args, **more)
        self._is_first = False
        self._has_come.set()
        try:
            assert self._may_go_on.wait(timeout=30)
            return self._save(*args, **more)
        finally:
            self._is_over.set()

    def go_on(self) -> None:
        """Let it save, and wait until it has."""
        assert self._has_come.wait(timeout=30), "nothing was sent on leaving"
        self._may_go_on.set()
        assert self._is_over.wait(timeout=30)


@pytest.fixture
def late(monkeypatch: pytest.MonkeyPatch) -> LateSave:
    return LateSave(monkeypatch)


def field(tab: Tab) -> Any:
    return tab.get_by_label("First choice of name")


def raw(opened: Opened) -> dict[str, Any]:
    return dict(open_draft(opened[0]).entity_raw)


def reload(tab: Tab) -> None:
    tab.reload()


def expect_saved(tab: Tab, opened: Opened, name: str) -> None:
    """Wait until the draft has the name."""
    deadline = time.monotonic() + 15
    while raw(opened).get("entity.name") != name:
        assert time.monotonic() < deadline, raw(opened)
        tab.wait_for_timeout(20)


def test_what_was_typed_is_shown_and_saved_before_the_late_save(
    open_tab: OpenTab, application: Opened, late: LateSave
) -> None:
    tab = at_section(open_tab, application).tab
    field(tab).fill(NAME)
    reload(tab)
    expect(field(tab)).to_have_value(NAME)
    assert tab.evaluate("sessionStorage.getItem('unsaved')") is None
    expect_saved(tab, application, NAME)
    late.go_on()
    assert raw(application)["entity.name"] == NAME


def test_typing_on_after_a_reload_is_no_conflict_with_the_late_save(open_tab: OpenTab, application: Opened) -> None:
    """The browser asks for the page before it sends what was typed, so the page is drawn without it."""
    tab = at_section(open_tab, application).tab
    field(tab).fill(NAME)
    reload(tab)
    expect(field(tab)).to_have_value(NAME)
    field(tab).fill(MORE)
    field(tab).blur()
    expect_saved(tab, application, MORE)
    expect(tab.locator("#banner")).to_be_empty()
    with tab.expect_navigation():
        tab.get_by_role("button", name="Save and continue").click()
    expect(tab.locator("h1")).not_to_contain_text("was changed while you were editing")


def test_a_late_save_that_comes_last_takes_nothing_back(open_tab: OpenTab, application: Opened, late: LateSave) -> None:
    tab = at_section(open_tab, application).tab
    field(tab).fill(NAME)
    reload(tab)
    field(tab).fill(MORE)
    field(tab).blur()
    expect_saved(tab, application, MORE)
    late.go_on()
    assert raw(application)["entity.name"] == MORE
