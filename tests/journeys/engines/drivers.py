"""Start WebKitGTK and Firefox, use a tab of either in the same words, and read its console."""

from __future__ import annotations

import os
import re
import subprocess
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from typing import Any

from django.test import Client

from tests.waiting import wait_until

FIREFOX = which("firefox-esr") or which("firefox")
_WEBKIT_DRIVER, _XVFB = which("WebKitWebDriver"), which("Xvfb")
# The system's own, which has the bindings of GTK.
_PYTHON, _BINDINGS = "/usr/bin/python3", "lib/*/girepository-1.0/WebKit2-4.1.typelib"
_WINDOW = Path(__file__).with_name("webkit_window.py")

ENTER, TAB, ESCAPE, ARROW_RIGHT = "\ue007", "\ue004", "\ue00c", "\ue014"

_HAS_LOADED = 'return document.readyState === "complete"'
# In Firefox's own part.
_TAKE_ERRORS = """const messages = Services.console.getMessageArray();
  Services.console.reset();
  return messages.filter((message) => message instanceof Ci.nsIScriptError
    && !(message.flags & message.warningFlag) && !/^(chrome|resource):/.test(message.sourceName)).map(String)"""
_SAVED = "return !document.querySelector('.htmx-request, .uploading')"


def has_webkit() -> bool:
    return bool(_WEBKIT_DRIVER and _XVFB and any(Path("/usr").glob(_BINDINGS)))


class Engine(ABC):
    """One tab. Both drivers find elements by the strategies of WebDriver, and send its keys."""

    def __init__(self, driver: Any, base: str, log: Path) -> None:
        self.driver = driver
        self.base = base
        self.log = log
        self._log_position = 0

    @abstractmethod
    def navigate(self, url: str) -> None: ...

    @abstractmethod
    def run(self, script: str, *arguments: Any) -> Any:
        """Run the body of a function in the page, and return its value."""

    @abstractmethod
    def send_keys(self, *keys: str) -> None:
        """Press keys where the focus is."""

    @abstractmethod
    def set_width(self, width: int) -> None: ...

    @abstractmethod
    def console_errors(self) -> list[str]:
        """Return the script errors, breaches of the content policy and calls of console.error since the last call."""

    def _new_log(self, pattern: str) -> list[str]:
        with self.log.open() as log:
            log.seek(self._log_position)
            matches = re.findall(pattern, log.read(), re.MULTILINE)
            self._log_position = log.tell()
        return matches

    def open(self, address: str) -> None:
        self.navigate(self.base + address)
        self.wait_for(_HAS_LOADED)

    def sign_in(self, user: Any) -> None:
        self.open("/help/")
        self.driver.delete_all_cookies()
        if user is not None:
            client = Client()
            client.force_login(user)
            self.driver.add_cookie({"name": "sessionid", "value": client.cookies["sessionid"].value, "path": "/"})

    def wait_for(self, script: str, *arguments: Any) -> None:
        wait_until(lambda: self.run(script, *arguments), what=f"{script} {arguments}")

    def expect_heading(self, words: str) -> None:
        self.wait_for("return (document.querySelector('h1')?.textContent ?? '').includes(arguments[0])", words)
        self.wait_for(_HAS_LOADED)

    def expect_text(self, words: str) -> None:
        self.wait_for("return (document.body?.innerText ?? '').includes(arguments[0])", words)

    def wait_until_saved(self) -> None:
        self.wait_for(_SAVED)

    def find(self, css: str) -> Any:
        self.wait_for("return document.querySelector(arguments[0])", css)
        return self.driver.find_element("css selector", css)

    def press(self, words: str) -> None:
        self._visible(f'//main//*[self::a or self::button][contains(normalize-space(), "{words}")]').click()

    def choose(self, words: str) -> None:
        self._visible(f'//main//label[normalize-space() = "{words}"]').click()

    def fill(self, words: str, text: str) -> None:
        label = self._visible(f'//main//label[starts-with(normalize-space(), "{words}")]')
        control = self.driver.find_element("id", label.get_attribute("for"))
        if control.get_property("value"):
            control.clear()
        control.send_keys(text)

    def _visible(self, path: str) -> Any:
        def shown() -> Any:
            elements = self.driver.find_elements("xpath", path)
            return next((element for element in elements if element.is_displayed()), None)

        return wait_until(shown, what=f"{path} is shown, and")


class WebKit(Engine):
    @classmethod
    @contextmanager
    def started(cls, base: str, folder: Path) -> Iterator[WebKit]:
        from selenium.webdriver import WebKitGTK
        from selenium.webdriver.webkitgtk.options import Options
        from selenium.webdriver.webkitgtk.service import Service

        options = Options()
        options.set_capability("browserName", "webkit-window")
        options.binary_location = _PYTHON
        options.add_argument(str(_WINDOW))
        options.add_argument(str(folder))
        with _display() as display:
            with _without_warnings():
                driver = WebKitGTK(options, Service(_WEBKIT_DRIVER, env=os.environ | {"DISPLAY": display}))
            try:
                yield cls(driver, base, folder / "console")
            finally:
                driver.quit()

    def navigate(self, url: str) -> None:
        self.driver.get(url)

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def send_keys(self, *keys: str) -> None:
        from selenium.webdriver import ActionChains

        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()

    def set_width(self, width: int) -> None:
        self.driver.set_window_size(width, 900)
        self.wait_for("return innerWidth === arguments[0]", width)

    def console_errors(self) -> list[str]:
        """Leave out what htmx says of requests that end with their page: for WebKit these have failed."""
        return self._new_log(r".*CONSOLE (?:\w+ )?ERROR (?!htmx:(?:sendError|afterRequest),).*")


class Firefox(Engine):
    @classmethod
    @contextmanager
    def started(cls, base: str, folder: Path) -> Iterator[Firefox]:
        log = folder / "log"
        options = {
            "gecko_log": str(log),
            "workspace": str(folder),
            "prefs": {"devtools.console.stdout.content": True},
            # For its console.
            "app_args": ["--remote-allow-system-access"],
        }
        with _without_warnings():
            from marionette_driver.marionette import Marionette

            driver = Marionette(bin=FIREFOX, port=0, headless=True, **options)
            driver.start_session()
        try:
            yield cls(driver, base, log)
        finally:
            with _without_warnings():
                driver.cleanup()

    def navigate(self, url: str) -> None:
        self.driver.navigate(url)

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, script_args=arguments)

    def send_keys(self, *keys: str) -> None:
        for key in keys:
            self.driver.actions.sequence("key", "keyboard").send_keys(key).perform()

    def set_width(self, width: int) -> None:
        """Narrow the page itself: the window is never narrower than 500 px."""
        with self.driver.using_context("chrome"):
            self.run("gBrowser.selectedBrowser.style.maxWidth = `${arguments[0]}px`", width)
        self.wait_for("return innerWidth === arguments[0]", width)

    def console_errors(self) -> list[str]:
        """Calls of console.error are in the log alone, where those of Firefox's own parts begin with a name."""
        with self.driver.using_context("chrome"):
            messages: list[str] = self.run(_TAKE_ERRORS)
        return messages + self._new_log(r"^console\.error: (?!\w+:\s*$|.*resource://).*")


@contextmanager
def _without_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextmanager
def _display() -> Iterator[str]:
    """A display of its own, higher than any page, so that a picture of the window shows all of it."""
    assert _XVFB
    reader, writer = os.pipe()
    arguments = [_XVFB, "-displayfd", str(writer), "-screen", "0", "1400x4000x24", "-nolisten", "tcp"]
    with subprocess.Popen(arguments, pass_fds=[writer], stderr=subprocess.DEVNULL) as server:
        os.close(writer)
        with os.fdopen(reader) as pipe:
            number = pipe.readline().strip()
        try:
            yield f":{number}"
        finally:
            server.terminate()
