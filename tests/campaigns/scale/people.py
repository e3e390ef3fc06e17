"""Customers and agents, who read pages as any reader does, and go on until what they have begun is done."""

import re
from collections.abc import Sequence
from itertools import count

from tests.campaigns.crowd import Applicant, Crowd, Person
from tests.journeys.page import Form, Page
from tests.nginx import FromAddress

from .browser import ScriptedBrowser
from .promises import Promises

PASSWORD = "a password for the load"
_CASE = re.compile(r"/desk/(FP-[^/?#]+)/")
_FILE = re.compile(r"/documents/\d+/$")
_MESSAGE = "Please look at this once more"


def crowd_at(
    address: str,
    promises: Promises,
    *,
    products: Sequence[str],
    customers: int,
    agents: int,
    pauses: tuple[float, float] = (0.5, 2.0),
    pace: float = 0.0,
    asks_every: int = 4,
) -> Crowd:

    def browser_of(number: int) -> ScriptedBrowser:
        browser = ScriptedBrowser(address, pace=pace)
        browser.session.mount("http://", FromAddress(f"127.1.{number // 250}.{number % 250 + 1}"))
        return browser

    people: list[Person] = []
    for number in range(customers):
        start = number % len(products)
        chosen = [*products[start:], *products[:start]]
        people.append(Customer(f"customer{number}@example.com", browser_of(number), promises, chosen, number % 2 == 0))
    for number in range(agents):
        people.append(Agent(f"agent{number}@example.com", browser_of(1000 + number), promises, asks_every))
    return Crowd(people, pauses=pauses)


def sign_in(browser: ScriptedBrowser, email: str) -> None:
    form = browser.get("/accounts/login/").form(button="Sign in")
    form.control("E-mail address").filled = [email]
    form.control("Password").filled = [PASSWORD]
    browser.send(form, form.button("Sign in"))


class _Member(Person):
    browser: ScriptedBrowser

    def begin(self) -> None:
        sign_in(self.browser, self.name)


class Customer(_Member):
    """Begins one application after the other, each of another product, and submits it."""

    def __init__(
        self, name: str, browser: ScriptedBrowser, promises: Promises, products: Sequence[str], is_thorough: bool
    ) -> None:
        super().__init__(name, browser)
        self._promises, self._products, self._is_thorough = promises, products, is_thorough
        self._numbers = count()

    def work(self) -> None:
        slug = self._products[next(self._numbers) % len(self._products)]
        applicant = Applicant(self.browser, is_thorough=self._is_thorough)
        self.browser.get("/")
        overview = applicant.start(self.browser.get(f"/products/{slug}/"))
        applicant.complete(overview)
        pages = (_bare(address) for _, address in overview.links())
        for address in dict.fromkeys(page for page in pages if page.endswith(("people/", "shares/", "documents/"))):
            self.browser.get(address)
        applicant.submit(overview)
        self._promises.application(_bare(overview.address).strip("/").rpartition("/")[2], slug, applicant)
        self.browser.get("/applications/")
        self.done += 1


class Agent(_Member):
    """Claims a case, opens its documents, accepts what is there, asks now and then, and decides."""

    def __init__(self, name: str, browser: ScriptedBrowser, promises: Promises, asks_every: int) -> None:
        """Every so many cases one is returned with a query; 0: none."""
        super().__init__(name, browser)
        self._promises, self._asks_every = promises, asks_every

    def work(self) -> None:
        queue = self.browser.get("/desk/")
        for address in [address for _, address in queue.links() if _CASE.search(address)]:
            page = self.browser.get(address)
            claim = _form_with(page, "Claim")
            if claim is not None:
                page = self.browser.send(claim, claim.button("Claim"))
                # Somebody else may have been quicker.
                if "Claimed by you" in page.words:
                    self._decide(page)
                    return

    def _decide(self, page: Page) -> None:
        reference, home = _CASE.search(page.address).group(1), page.address.partition("?")[0]  # type: ignore[union-attr]
        asks = bool(self._asks_every) and self.done % self._asks_every == self._asks_every - 1
        for address in dict.fromkeys(address for _, address in page.links() if _FILE.search(address)):
            self.browser.get_file(address)
        queries = [self._ask(page)] if asks else []
        parties = dict.fromkeys(_bare(address) for _, address in page.links() if f"{home}parties/" in address)
        for address in (home, *parties):
            self._accept(self.browser.get(address))
        decision = "return" if asks else "approve"
        page = self.browser.get(home)
        form = next(form for form in page.forms if any(control.name == "decision" for control in form.controls))
        controls = {control.name: control for control in form.controls}
        if decision not in {option.value for option in controls["decision"].options}:
            raise AssertionError(f"{reference} can't be decided: {page.words[-1500:]}")
        controls["decision"].filled = [decision]
        controls["text"].filled = [_MESSAGE]
        answer = self.browser.send(form, form.buttons[0])
        confirmation = _form_with(answer, "Yes, approve")
        if confirmation is not None:
            answer = self.browser.send(confirmation, confirmation.button("Yes, approve"))
        assert answer.status < 400, f"{reference}: {answer.status} {answer.words[:1500]}"
        self._promises.decision(reference, decision, queries)
        self.done += 1

    def _ask(self, page: Page) -> str:
        form_page = self.browser.get(next(address for words, address in page.links() if words.startswith("Ask")))
        form = form_page.form(button="Save query")
        text = f"{_MESSAGE}, says {self.name} at {self.done}"
        form.control("Message to the customer").filled = [text]
        answer = self.browser.send(form, form.button("Save query"))
        assert answer.status < 400, answer.words[:1500]
        return text

    def _accept(self, page: Page) -> None:
        """Accept all that the page has left, documents that nobody has opened included."""
        form = _form_with(page, "Accept all remaining")
        if form is None:
            return
        answer = self.browser.send(form, form.button("Accept all remaining"))
        if answer.status == 422:
            form = answer.form(button="Accept without opening")
            answer = self.browser.send(form, form.button("Accept without opening"))
        assert answer.status < 400, f"{page.address}: {answer.status} {answer.words[:1500]}"


def _form_with(page: Page, button: str) -> Form | None:
    return next((form for form in page.forms if form.has_button(button)), None)


def _bare(address: str) -> str:
    return address.partition("?")[0].partition("#")[0]
