"""Chromium as a generic client's browser: it opens pages, fills in controls as people do, and presses buttons.

With script a page brings itself up to date after each change; without, a button does it.
"""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser as Chromium
from playwright.sync_api import BrowserContext, Locator, sync_playwright
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Page as Tab

from tests.journeys.clients import NO_FILES, Files
from tests.journeys.page import Button, Control, Form, Page
from tests.needed import chromium

_FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

_SECONDS_TO_CLOSE = 60

# One more than a page waits for.
_AFTER_THE_NEXT_FRAMES = """() => new Promise((done) => {
  const frame = (left) => requestAnimationFrame(() => (left ? frame(left - 1) : setTimeout(done, 10)));
  frame(3);
})"""

IS_TOO_WIDE = "() => document.documentElement.scrollWidth > document.documentElement.clientWidth"
_OF_THE_REPLACED = ("htmx:sendAbort", "htmx:afterRequest")

# The page as it stands, with what was typed and chosen since: its mark-up alone holds what it was loaded with.
_AS_IT_STANDS = """() => {
  const copy = document.documentElement.cloneNode(true);
  const copied = copy.querySelectorAll("input, select, textarea");
  document.querySelectorAll("input, select, textarea").forEach((element, place) => {
    const twin = copied[place];
    if (element.tagName === "SELECT")
      [...twin.options].forEach((option, at) => option.toggleAttribute("selected", element.options[at].selected));
    else if (element.tagName === "TEXTAREA") twin.textContent = element.value;
    else if (["radio", "checkbox"].includes(element.type)) twin.toggleAttribute("checked", element.checked);
    else if (element.type !== "file") twin.setAttribute("value", element.value);
  });
  return copy.outerHTML;
}"""


@contextmanager
def launched() -> Iterator[Chromium]:
    """The installed Chromium, without a window. Nothing bounds how long it may take to close: it is killed then."""
    impatience = threading.Timer(_SECONDS_TO_CLOSE, _kill_driver)
    with ExitStack() as stack:
        stack.callback(impatience.cancel)
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=chromium(), args=_FLAGS)
        try:
            yield browser
        finally:
            impatience.start()
            # Cut off from its driver it can't be closed, and needn't be.
            with suppress(PlaywrightError):
                browser.close()


def _kill_driver() -> None:
    """Playwright's own process, a child of this one, with the browser that it has started."""
    subprocess.run(["pkill", "-KILL", "-P", str(os.getpid()), "node"], check=False)


def sign_in(context: BrowserContext, base: str, session: str) -> None:
    context.add_cookies([{"name": "sessionid", "value": session, "url": base}])


def press(tab: Tab, words: str) -> None:
    with tab.expect_navigation():
        tab.locator("main button:visible").filter(has_text=words).first.click()


class TabBrowser:
    """A tab of Chromium, with what a generic client needs of a browser."""

    def __init__(self, tab: Tab, base: str, *, has_script: bool) -> None:
        self.tab = tab
        self.base = base
        self.has_script = has_script
        self.faults: list[str] = []
        tab.set_default_timeout(15_000)
        tab.on("pageerror", lambda error: self.faults.append(str(error)))
        tab.on("console", self._note)

    def _note(self, message: Any) -> None:
        # A refused answer (422) is logged as an error by the browser itself, and by htmx a question that a newer one
        # has replaced. What fails is logged by other names, too.
        is_meant = "status of 4" in message.text or message.text.startswith(_OF_THE_REPLACED)
        if message.type == "error" and not is_meant:
            self.faults.append(message.text)

    def get(self, address: str) -> Page:
        address = self.base + _path(address) if address.startswith("/") else address
        response = self.tab.goto(address)
        return self._page(response.status if response else 200)

    def send(self, form: Form, button: Button, *, files: Files = NO_FILES, follow: bool = True) -> Page:
        """Fill in what differs, and press the button; gives the page that follows."""
        around = self._form(form)
        for control in form.controls:
            if control.filled != control.found:
                self._fill(control)
        for name, (filename, content) in files.items():
            file = {"name": filename, "mimeType": "application/pdf", "buffer": content}
            around.locator(f"[name={_css_string(name)}]").set_input_files(file)  # type: ignore[arg-type]
            if self.has_script:
                self.tab.wait_for_function("() => !document.querySelector('.uploading')", polling=20)
        if self.has_script and button.text.startswith(("Update", "Upload")):
            # The page has done by itself what the button is for.
            return self._page()
        return self.press(self._button(around, form, button))

    def press(self, button: Locator) -> Page:
        with self.tab.expect_navigation() as navigation:
            button.click()
        return self._page(navigation.value.status if navigation.value else 200)

    def settle(self) -> None:
        """Wait until no change is under way, nor about to be: a page posts what has changed once it is drawn."""
        self.tab.evaluate(_AFTER_THE_NEXT_FRAMES)
        self.tab.wait_for_function("() => !document.querySelector('.htmx-request')", polling=20)

    def _page(self, status: int = 200) -> Page:
        assert not self.faults, self.faults
        return Page(self.tab.evaluate(_AS_IT_STANDS), _path(self.tab.url), status)

    def _form(self, form: Form) -> Locator:
        """By a control of its own; the page may have more forms by now than when it was read."""
        forms = self.tab.locator("main form")
        known = next((control.id for control in form.controls if control.id), "")
        return forms.filter(has=self.tab.locator(f"[id={_css_string(known)}]")) if known else forms.nth(form.place)

    def _button(self, around: Locator, form: Form, button: Button) -> Locator:
        inside, outside = around.locator("button"), self.tab.locator(f"button[form={_css_string(form.id)}]")
        buttons = inside.or_(outside) if form.id else inside
        if button.name:
            same = f"button[name={_css_string(button.name)}][value={_css_string(button.value)}]"
            buttons = buttons.and_(self.tab.locator(same))
        return buttons.filter(has_text=button.text.partition("“")[0].strip() or None).first

    def _fill(self, control: Control) -> None:
        named = self.tab.locator(f"main [name={_css_string(control.name)}]:not([type=hidden])")
        if control.kind in ("radio", "checkbox"):
            for value in set(control.filled).difference(control.found):
                box = named.and_(
                    self.tab.locator(f"[value={_css_string(value)}]:is([type=radio],[type=checkbox])")
                ).first
                self._reveal(box)
                box.check()
                self._changed()
            return
        first, value = named.first, control.filled[0].replace("\r\n", "\n")
        self._reveal(first)
        if control.kind == "select":
            first.select_option(value)
        else:
            first.fill(value)
            first.blur()
        self._changed()

    def _reveal(self, control: Locator) -> None:
        if not control.is_visible():
            control.locator("xpath=ancestor::details[not(@open)]/summary").first.click()

    def _changed(self) -> None:
        if self.has_script:
            self.settle()


def _css_string(text: str) -> str:
    """Letters beyond ASCII as they are: CSS reads `\\u00f3` as "u00f3"."""
    return json.dumps(text, ensure_ascii=False)


def _path(address: str) -> str:
    url = urlsplit(address)
    return url.path + (f"?{url.query}" if url.query else "")
