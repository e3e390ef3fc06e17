"""A browser that does over HTTP what ours does with its script (`static/js/saving.js`, `autosave.js`).

- Before a form of questions is sent, its answers are posted as a change (htmx). A change that gets no answer, or one
  that may pass (500 and above, 408, 413, 429), is posted again by itself, after 5, 10, 20 and then every 30 seconds.
- A form is sent once the portal answers a small question; while it doesn't, that is asked again after the same waits.
- A form that is sent and comes to nothing, and a page that does not come, are the browser's own page of an error. That
  is what counts as failed here. Its reader loads it again, which sends the form again as it was.
"""

import time
from collections.abc import Callable
from urllib.parse import urljoin

import requests
from lxml import html

from tests.journeys.clients import NO_FILES, Files, HttpBrowser, path_of
from tests.journeys.page import Button, Form, Page

WAITS = (5.0, 10.0, 20.0, 30.0)
_PASSING = (408, 413, 429)
# What the script waits for the answer whether the portal is there; a browser waits longer for a page.
_ASKING_SECONDS, _PAGE_SECONDS = 10.0, 90.0
# An impatient person's.
_RELOAD_SECONDS = 2.0
_MOST_RELOADS = 200


class ScriptedBrowser(HttpBrowser):
    """Counts what it has met. Its reader takes `pace` seconds before each page."""

    def __init__(self, base: str, *, pace: float = 0.0) -> None:
        super().__init__(base)
        self.saves = 0
        # Changes and questions that the script has posted again by itself.
        self.repeated = 0
        # Pages and forms that came to nothing at first: time, what was asked for, and the answer.
        self.failures: list[str] = []
        # When each answer came (seconds since the epoch), and how long it took in ms.
        self.times: list[tuple[float, float]] = []
        self._pace = pace
        # Of the page that was read last: where its parts post their changes, by the form's own address.
        self._changes: dict[str, str] = {}
        self._asks = ""

    def get(self, address: str) -> Page:
        """The page at an address, after redirects, and after as many reloads as it takes."""
        path = path_of(address)
        time.sleep(self._pace)
        return self._read(
            self._until_answered(f"GET {path}", lambda: self.session.get(self.base + path, timeout=_PAGE_SECONDS))
        )

    def get_file(self, address: str) -> int:
        path = path_of(address)
        answer = self._until_answered(f"GET {path}", lambda: self.session.get(self.base + path, timeout=_PAGE_SECONDS))
        return len(answer.content)

    def send(self, form: Form, button: Button, *, files: Files = NO_FILES, follow: bool = True) -> Page:
        """Save what the form asks, then send it; gives the page that follows."""
        if form.method == "get":
            return super().send(form, button, files=files, follow=follow)
        path = path_of(button.action)
        if change := self._changes.get(form.action):
            self._post_change(form, change)
        if self._asks:
            self._until_reached()
        self.saves += 1
        answer = self._until_answered(
            f"POST {path}",
            lambda: self.session.post(
                self.base + path,
                data=form.data(button),
                files=files if form.is_multipart else None,
                headers={"Origin": self.base},
                allow_redirects=follow,
                timeout=_PAGE_SECONDS,
            ),
        )
        return self._read(answer) if answer.content else Page("<html><body><main></main></body></html>", path)

    def _post_change(self, form: Form, path: str) -> None:
        """As htmx does: without the button; the version of the page is then that of the answer."""
        self.saves += 1
        headers = {"Origin": self.base, "HX-Request": "true", "HX-Current-URL": self.base + path}
        answer = self._by_script(
            lambda: self.session.post(
                self.base + path, data=form.data(), headers=headers, allow_redirects=False, timeout=_PAGE_SECONDS
            )
        )
        if answer.status_code == 200 and answer.content:
            swapped = html.fromstring(f"<div>{answer.text}</div>").xpath("//input[@hx-swap-oob]")
            new = {one.get("name"): one.get("value", "") for one in swapped}
            form.fixed = [(name, new.get(name, value)) for name, value in form.fixed]

    def _until_reached(self) -> None:
        headers = {"HX-Request": "true"}
        self._by_script(lambda: self.session.get(self.base + self._asks, headers=headers, timeout=_ASKING_SECONDS))

    def _by_script(self, ask: Callable[[], requests.Response]) -> requests.Response:
        for tries in range(_MOST_RELOADS):
            answer = self._ask(ask)
            if (
                isinstance(answer, requests.Response)
                and answer.status_code < 500
                and answer.status_code not in _PASSING
            ):
                return answer
            self.repeated += 1
            time.sleep(WAITS[min(tries, len(WAITS) - 1)])
        raise TimeoutError("The portal never answered the script")

    def _until_answered(self, what: str, ask: Callable[[], requests.Response]) -> requests.Response:
        """Until there is a page that isn't an error's. The first that is counts; what follows is its repair."""
        for tries in range(_MOST_RELOADS):
            answer = self._ask(ask)
            if isinstance(answer, requests.Response) and answer.status_code < 500:
                return answer
            if not tries:
                reason = str(answer.status_code) if isinstance(answer, requests.Response) else answer
                self.failures.append(f"{time.strftime('%H:%M:%S', time.gmtime())} {what}: {reason}")
            time.sleep(_RELOAD_SECONDS)
        raise TimeoutError(f"{what} never came to anything")

    def _ask(self, ask: Callable[[], requests.Response]) -> requests.Response | str:
        self.requests += 1
        began = time.perf_counter()
        try:
            answer = ask()
        except requests.RequestException as error:
            return type(error).__name__
        self.times.append((time.time(), (time.perf_counter() - began) * 1000))
        return answer

    def _read(self, answer: requests.Response) -> Page:
        page = self._page(answer)
        if "<main" not in page.text:
            raise AssertionError(f"{answer.status_code} {page.address}: {page.text[:500]}")
        self._asks = next(iter(page.root.xpath("//*[@id='saving']/@data-asks")), "")
        self._changes = {}
        for part in page.root.xpath("//main//*[@hx-post and starts-with(@hx-trigger, 'change')]"):
            form = part if part.tag == "form" else next(part.iterancestors("form"), None)
            if form is not None:
                self._changes[urljoin(page.address, form.get("action") or "")] = part.get("hx-post")
        return page


def _may_pass(status: int) -> bool:
    """Report that it may go well another time, as `saving.js` sees it."""
    return status >= 500 or status in _PASSING
