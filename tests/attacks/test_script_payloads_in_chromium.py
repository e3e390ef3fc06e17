"""The same payloads in a browser with script on: nothing of them runs, opens a dialog or is stopped by the policy."""

import re
from typing import Any

import pytest
from django.test import Client

from formation_portal.gateway.catalog import forget
from tests.journeys.browser import sign_in
from tests.journeys.site import served
from tests.relay.conftest import _files_go_nowhere_else, transport
from tests.relay.flaky_transport import FlakyTransport

from .payloads import COUNT, HARMLESS, HOSTILE
from .site_of_payloads import Site
from .visits import Visitors

__all__ = ["_files_go_nowhere_else", "transport"]

pytestmark = [
    pytest.mark.django_db(databases=["default", "service"], transaction=True),
    pytest.mark.long,
]

# Whatever waits for somebody: folds open, everything is pointed at, and every control has the focus once.
_TOUCH_ALL = """() => {
  document.querySelectorAll('details').forEach(one => { one.open = true });
  document.querySelectorAll('*').forEach(one => one.dispatchEvent(new MouseEvent('mouseover', {bubbles: true})));
  document.querySelectorAll('input, select, textarea, button').forEach(one => one.focus({preventScroll: true}));
  return window.hit;
}"""


class BrowserVisitors(Visitors):
    """Open each page in a tab as well; `problems` is what has happened there."""

    def __init__(self, site: Site, address: str, browser: Any) -> None:
        super().__init__(site)
        self.problems: list[str] = []
        self.opened = 0
        self._address = address
        self._tabs: dict[str, Any] = {}
        self._browser = browser

    def get(self, who: str, stage: str, *addresses: str) -> None:
        super().get(who, stage, *addresses)
        for address in addresses:
            # What is handed out as a file opens no page.
            if not re.search(r"record\.json|/documents/\d+/$", address):
                self._open(who, address)

    def _open(self, who: str, address: str) -> None:
        tab = self._tabs.get(who) or self._new_tab(who)
        tab.goto(self._address + address, wait_until="load")
        if (hit := tab.evaluate(_TOUCH_ALL)) is not None:
            self.problems.append(f"{address} ran {hit}")
        self.opened += 1

    def _new_tab(self, who: str) -> Any:
        context = self._browser.new_context(reduced_motion="reduce")
        if session := self._clients[who].cookies.get("sessionid"):
            sign_in(context, self._address, session.value)
        if part := self._clients[who].cookies.get("part"):
            context.add_cookies([{"name": "part", "value": part.value, "url": self._address + part["path"]}])
        tab = context.new_page()
        tab.on("console", self._note_what_the_policy_stops)
        tab.on("dialog", lambda dialog: (self.problems.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        self._tabs[who] = tab
        return tab

    def _note_what_the_policy_stops(self, message: Any) -> None:
        if "Content Security Policy" in message.text and "style-src" not in message.text:
            self.problems.append(f"the policy stopped something: {message.text}")


def test_nothing_of_a_payload_runs_in_a_browser(
    transport: FlakyTransport, settings: Any, collected: Any, chromium: Any
) -> None:
    settings.UPLOADS_PER_HOUR = 1_000
    forget()
    with served(collected) as address:
        site = Site(HOSTILE, transport)
        visitors = BrowserVisitors(site, address, chromium)
        for stage in site.stages():
            visitors.open_all(stage)
    forget()
    assert visitors.problems == []
    assert visitors.opened > 100


def test_a_payload_that_is_typed_does_not_run(
    transport: FlakyTransport, settings: Any, collected: Any, chromium: Any
) -> None:
    """Script saves each answer and puts regions of the answer into the page."""
    forget()
    with served(collected) as address:
        site = Site(HARMLESS, transport)
        context = chromium.new_context()
        client = Client()
        client.force_login(site.owner)
        sign_in(context, address, client.cookies["sessionid"].value)
        tab, dialogs = context.new_page(), []
        tab.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.accept()))
        section = site.draft.schema.entity_sections[0].key
        tab.goto(f"{address}/applications/{site.reference}/sections/{section}/", wait_until="load")
        controls = tab.locator("#answers input[name^='q:']")
        for number in range(COUNT):
            controls.nth(number).fill(" ".join(HOSTILE.one("typed", number).split()))
            if number % 6 == 0:
                with tab.expect_response(lambda answer: answer.request.method == "POST"):
                    controls.nth(number).press("Tab")
        assert tab.evaluate(_TOUCH_ALL) is None
        tab.reload(wait_until="load")
        assert tab.evaluate(_TOUCH_ALL) is None
        context.close()
    forget()
    assert dialogs == []
