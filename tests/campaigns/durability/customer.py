"""A customer who saves one page again and again over HTTP, and who sends the form that an outage's page offers."""

import threading
import time
from dataclasses import dataclass, field
from typing import Any

import requests

from tests.markup import Markup

_TOKEN, _NAME = "csrfmiddlewaretoken", "q:name"
_LONGEST_ANSWER_SECONDS = 30


@dataclass
class Customer(threading.Thread):
    """What was answered with success counts as acknowledged. Anything that isn't success or an honest 503 is odd."""

    page: str
    cookies: dict[str, str]
    acknowledged: list[int] = field(default_factory=list)
    outages: int = 0
    formless: int = 0
    odd: list[str] = field(default_factory=list)
    last_success: float = 0.0

    def __post_init__(self) -> None:
        super().__init__(daemon=True)
        self._stopped = threading.Event()
        self._session = requests.Session()
        self._session.cookies.update(self.cookies)

    __hash__ = threading.Thread.__hash__

    def stop(self) -> None:
        """Ends after the answer that is under way."""
        self._stopped.set()
        self.join()

    def run(self) -> None:
        """Type a number into the company's name, save it, and go on to the next."""
        number, state = 0, self._state()
        while not self._stopped.is_set():
            number += 1
            if self._until_saved({**state, _NAME: f"Larkfield {number}"}):
                self.acknowledged.append(number)
                self.last_success = time.monotonic()
                state |= {"version": str(int(state["version"]) + 1)}
            else:
                state = self._state()

    def _state(self) -> dict[str, str]:
        """What the page itself posts, once it can be read: its token, and the version that it was made from."""
        while not self._stopped.is_set():
            answer = self._session.get(self.page, timeout=_LONGEST_ANSWER_SECONDS)
            if answer.status_code == 200:
                inputs = {one.attributes.get("name"): one.attributes for one in Markup(answer.text).all("input")}
                return {name: inputs[name]["value"] for name in (_TOKEN, "version")}
        return {_TOKEN: "", "version": "0"}

    def _until_saved(self, form: dict[str, Any]) -> bool:
        """Send it, and what the page of the outage offers instead, until it is saved; False where it can't be."""
        typed = form[_NAME]
        while not self._stopped.is_set():
            try:
                answer = self._session.post(
                    self.page, data=form, allow_redirects=False, timeout=_LONGEST_ANSWER_SECONDS
                )
            except requests.RequestException as error:
                self.odd.append(type(error).__name__)
                continue
            if answer.status_code == 302:
                return True
            if answer.status_code != 503:
                self.odd.append(str(answer.status_code))
                return False
            self.outages += 1
            form = self._offered(answer.text) or form
            self.formless += form[_NAME] != [typed]
            # As often as an impatient person.
            self._stopped.wait(0.05)
        return False

    def _offered(self, html: str) -> dict[str, Any]:
        """The form of the page, as its button sends it."""
        page = Markup(html)
        if "We can’t reach our records" not in page.one("main").text:
            self.odd.append("503 in other words")
            return {}
        form: dict[str, Any] = {_TOKEN: page.one("input", name=_TOKEN).attributes["value"]}
        for area in page.all("textarea"):
            form.setdefault(area.attributes["name"], []).append(area.text.removeprefix("\n"))
        return form
