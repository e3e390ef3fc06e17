"""A page that is loaded again while a save of it is on its way shows what was typed, and is no other window."""

import threading
from typing import Any

import pytest
from playwright.sync_api import Page as Tab
from playwright.sync_api import expect

from formation_portal.applications import services
from formation_portal.applications.models import Application
from tests.journeys.chromium.conftest import NAME, name_field, press, saved_name, type_name
from tests.waiting import wait_until

MORE = "Kite and Kestrel LLC"


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
        assert self._has_come.wait(timeout=30), "nothing was sent on leaving"
        self._may_go_on.set()
        assert self._is_over.wait(timeout=30)


@pytest.fixture
def late(monkeypatch: pytest.MonkeyPatch) -> LateSave:
    return LateSave(monkeypatch)


@pytest.fixture
def reloaded(tab: Tab) -> Tab:
    name_field(tab).fill(NAME)
    tab.reload()
    return tab


def test_what_was_typed_is_shown_and_saved_before_the_late_save(
    late: LateSave, reloaded: Tab, application: Application
) -> None:
    expect(name_field(reloaded)).to_have_value(NAME)
    assert reloaded.evaluate("sessionStorage.getItem('unsaved')") is None
    wait_until(lambda: saved_name(application) == NAME)
    late.go_on()
    assert saved_name(application) == NAME


def test_typing_on_after_a_reload_is_no_conflict_with_the_late_save(reloaded: Tab, application: Application) -> None:
    """The browser asks for the page before it sends what was typed, so the page is drawn without it."""
    expect(name_field(reloaded)).to_have_value(NAME)
    type_name(reloaded, MORE)
    wait_until(lambda: saved_name(application) == MORE)
    expect(reloaded.locator("#banner")).to_be_empty()
    press(reloaded, "Save and continue")
    expect(reloaded.locator("h1")).not_to_contain_text("was changed while you were editing")


def test_a_late_save_that_comes_last_takes_nothing_back(
    late: LateSave, reloaded: Tab, application: Application
) -> None:
    type_name(reloaded, MORE)
    wait_until(lambda: saved_name(application) == MORE)
    late.go_on()
    assert saved_name(application) == MORE
