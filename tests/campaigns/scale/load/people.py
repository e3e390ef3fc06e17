"""Customers and agents, who read pages as any reader does, and go on until what they have begun is done."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count

from tests.journeys.actors.generic_client import GenericClient, SentFile, small_pdf
from tests.journeys.page import Button, Control, Form, Page

from .browser import ScriptedBrowser
from .promises import Promises

PASSWORD = "a password for the load"
# Every third file goes through the disk on its way.
_LARGE = 300_000
_AGAIN_SECONDS = 2.0
_MOST_TRIES = 100
_CASE = re.compile(r"/desk/(FP-[^/?#]+)/")
_FILE = re.compile(r"/documents/\d+/$")
_ASKED = "Please look at this once more"


def sign_in(browser: ScriptedBrowser, email: str) -> Page:
    """With the password that all have."""
    page = browser.get("/accounts/login/")
    form = page.form(button="Sign in")
    form.control("E-mail address").filled = [email]
    form.control("Password").filled = [PASSWORD]
    return browser.send(form, form.button("Sign in"))


class Applicant(GenericClient):
    """Fills in one application. A file that can't be taken at present is sent again, as the page asks for."""

    pause: Callable[[float], object]

    def complete(self, overview: Page) -> None:
        """Do what is needed until nothing is."""
        check = self._get(overview.link("Check your answers"))
        for _ in range(_MOST_TRIES):
            if not check.needs:
                return
            self._resolve(check.needs)
            check = self._get(check.address)
        raise AssertionError(f"still needed: {check.needs}")

    def _upload_one(self, form: Form, control: Control, button: Button) -> None:
        number = len(self.sent)
        content = small_pdf(number, size=0 if number % 3 else _LARGE)
        for _ in range(_MOST_TRIES):
            page = self.browser.send(form, button, files={control.name: ("paper.pdf", content)}, follow=False)
            if page.status != 422:
                break
            self.pause(_AGAIN_SECONDS)
        self._checked(page)
        values = (*form.fixed, (button.name, button.value))
        self.sent.append(SentFile(form.action, values, control.words, "paper.pdf", sha256(content).hexdigest()))


@dataclass
class Person:
    """Somebody at a browser of their own. `done` counts what was brought to its end, `troubles` what wasn't."""

    email: str
    browser: ScriptedBrowser
    promises: Promises
    pause: Callable[[float], object]
    done: int = 0
    troubles: list[str] = field(default_factory=list)

    def sign_in(self) -> None:
        """Once, before anything else."""
        sign_in(self.browser, self.email)


@dataclass
class Customer(Person):
    """Begins one application after the other, each of another product, and submits it."""

    products: list[str] = field(default_factory=list)
    is_thorough: bool = False
    _number: count = field(default_factory=count)

    def apply(self) -> str:
        """One application from the catalog to its receipt; its reference."""
        slug = self.products[next(self._number) % len(self.products)]
        applicant = Applicant(self.browser, is_thorough=self.is_thorough)
        applicant.pause = self.pause
        self.browser.get("/")
        overview = applicant.start(self.browser.get(f"/products/{slug}/"))
        home = overview.address.partition("?")[0]
        applicant.complete(overview)
        pages = (where.partition("?")[0].partition("#")[0] for _, where in overview.links())
        for address in dict.fromkeys(one for one in pages if one.endswith(("people/", "shares/", "documents/"))):
            self.browser.get(address)
        applicant.submit(overview)
        reference = home.strip("/").rpartition("/")[2]
        self.promises.application(reference, slug, applicant)
        self.browser.get("/applications/")
        self.done += 1
        return reference

    def correct(self) -> bool:
        """Send back what was returned, if anything was: as it was, which the page asks about once."""
        page = self.browser.get("/applications/")
        home = next((where for words, where in page.links() if "eturned" in words or "Correct" in words), None)
        if home is None:
            return False
        check = self.browser.get(f"{home.partition('?')[0]}check/")
        for _ in range(2):
            form = next((one for one in check.forms if one.has_button("Send corrections")), None)
            if form is None:
                break
            for control in form.controls:
                control.filled = [option.value for option in control.options][:1] or control.filled
            check = self.browser.send(form, form.button("Send corrections"))
        return True


@dataclass
class Agent(Person):
    """Claims a case, opens its documents, accepts what is there, asks now and then, and decides."""

    # Every so many cases one is returned with a query; 0: none.
    asks_every: int = 0

    def review(self) -> bool:
        """One case from the queue to its decision; whether there was one to take."""
        queue = self.browser.get("/desk/")
        cases = [where for _, where in queue.links() if _CASE.search(where)]
        for address in cases:
            page = self.browser.get(address)
            claim = next((form for form in page.forms if form.has_button("Claim")), None)
            if claim is not None:
                page = self.browser.send(claim, claim.button("Claim"))
                # Somebody else may have been quicker.
                if "Claimed by you" in page.words:
                    self._decide(page)
                    return True
        return False

    def _decide(self, page: Page) -> None:
        reference, home = _CASE.search(page.address).group(1), page.address.partition("?")[0]  # type: ignore[union-attr]
        asks = bool(self.asks_every) and self.done % self.asks_every == self.asks_every - 1
        for address in dict.fromkeys(where for _, where in page.links() if _FILE.search(where)):
            self.browser.get_file(address)
        queries = [self._ask(page)] if asks else []
        parties = dict.fromkeys(
            where.partition("?")[0].partition("#")[0] for _, where in page.links() if f"{home}parties/" in where
        )
        for address in (home, *parties):
            self._accept(self.browser.get(address))
        decision = "return" if asks else "approve"
        page = self.browser.get(home)
        form = next(one for one in page.forms if any(control.name == "decision" for control in one.controls))
        [choice] = [control for control in form.controls if control.name == "decision"]
        if decision not in {option.value for option in choice.options}:
            raise AssertionError(f"{reference} can't be decided: {page.words[-1500:]}")
        choice.filled = [decision]
        text = next(control for control in form.controls if control.name == "text")
        text.filled = [_ASKED]
        answer = self.browser.send(form, form.buttons[0])
        again = next((one for one in answer.forms if one.has_button("Yes, approve")), None)
        if again is not None:
            answer = self.browser.send(again, again.button("Yes, approve"))
        assert answer.status < 400, f"{reference}: {answer.status} {answer.words[:1500]}"
        self.promises.decision(reference, decision, queries)
        self.done += 1

    def _ask(self, page: Page) -> str:
        form_page = self.browser.get(next(where for words, where in page.links() if words.startswith("Ask")))
        form = next(one for one in form_page.forms if one.has_button("Save query"))
        text = f"{_ASKED}, says {self.email} at {self.done}"
        form.control("Message to the customer").filled = [text]
        answer = self.browser.send(form, form.button("Save query"))
        assert answer.status < 400, answer.words[:1500]
        return text

    def _accept(self, page: Page) -> None:
        """All that the page has left, documents that nobody has opened included."""
        form = next((one for one in page.forms if one.has_button("Accept all remaining")), None)
        if form is None:
            return
        answer = self.browser.send(form, form.button("Accept all remaining"))
        if answer.status == 422:
            form = next(one for one in answer.forms if one.has_button("Accept without opening"))
            answer = self.browser.send(form, form.button("Accept without opening"))
        assert answer.status < 400, f"{page.address}: {answer.status} {answer.words[:1500]}"
