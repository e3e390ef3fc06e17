"""A generic client: knows no product, field or role. It reads pages, fills in what fits each control, and submits.

It works without script. What it knows is what any reader knows: a question without "(optional)" wants an answer, a list
of what is still needed links to where it is filled in, "Add" adds, "Upload" uploads, "Save" saves.
"""

from __future__ import annotations

import re
from calendar import month_name
from dataclasses import dataclass, field
from hashlib import sha256

from tests.documents import sample_files
from tests.journeys.clients import Browser
from tests.journeys.page import Button, Control, Element, Form, Page

_MONTHS = list(month_name)[1:]
_MOST_ROUNDS = 25
_MOST_PAGES = 300


def small_pdf(number: int, *, size: int = 0) -> bytes:
    """A PDF of one page; each one that is sent differs, and has that many bytes at least."""
    return sample_files.pdf(text=f"paper {number}").ljust(size, b"\n")


@dataclass(frozen=True)
class TypedAnswer:
    """What was filled in at one control, the words that the page had for it, and the heading of the page."""

    heading: str
    kind: str
    words: str
    values: tuple[str, ...]
    chosen: tuple[str, ...]


@dataclass(frozen=True)
class SentFile:
    """A file that was sent, with the other values of its form."""

    action: str
    form_values: tuple[tuple[str, str], ...]
    words: str
    filename: str
    digest: str


@dataclass
class GenericClient:
    """Brings an application from the catalog to "submitted" by reading the pages alone. Keeps what it filled in.

    A thorough one answers what is optional too, and prefers answers that open further questions to those that don't.
    """

    browser: Browser
    is_thorough: bool = False
    # By where it was sent, what the form said it was about (a hidden token), and the control's name.
    typed: dict[tuple[str, str, str], TypedAnswer] = field(default_factory=dict)
    sent: list[SentFile] = field(default_factory=list)
    # Buttons that carry a value of their own: where they went, and the other values of their forms.
    pressed: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    _pages: int = 0
    _answers_given: int = 0
    # What is shared out among several, by the words of the question.
    _shared_out: set[str] = field(default_factory=set)

    def start(self, product: Page) -> Page:
        form = product.form(button="Start")
        self._shared_out.clear()
        return self.browser.send(form, form.button("Start"))

    def submit(self, overview: Page) -> Page:
        """Do what is needed until nothing is, then submit; gives the page that follows."""
        check = self._get(overview.link("Check your answers"))
        for _ in range(_MOST_ROUNDS):
            if not check.needs:
                break
            before = check.needs
            self._resolve(check.needs)
            check = self._get(check.address)
            assert check.needs != before, f"nothing changed what is needed: {before}"
        assert not check.needs, f"still needed: {check.needs}"
        return self.declare(check)

    def declare(self, check: Page) -> Page:
        """Submit what is ready, or send what was corrected after it came back."""
        words = next(one for one in ("Submit", "Send corrections") if any(form.has_button(one) for form in check.forms))
        form = check.form(button=words)
        self._fill(form)
        return self._send(form, form.button(words))

    def _get(self, address: str) -> Page:
        return self._checked(self.browser.get(address))

    def _checked(self, page: Page) -> Page:
        self._pages += 1
        assert self._pages < _MOST_PAGES, "the client goes round in circles"
        assert page.status < 400, f"{page.status} {page.title}: {page.errors or page.words[:2000]}"
        return page

    def _resolve(self, needs: list[tuple[str, str]]) -> None:
        """Open each page that something is needed on, once, and do there what can be done."""
        by_page: dict[str, list[str]] = {}
        for text, address in needs:
            by_page.setdefault(address.partition("#")[0], []).append(text)
        for address, texts in by_page.items():
            self.complete_page(self._get(address))
            for text in texts:
                if text.startswith("Add"):
                    self._add(self._get(address), text)

    def complete_page(self, page: Page) -> None:
        """Give a page all that it asks for: files first, since sending one loads the page again; then answers."""
        sent = [self._upload(form) for form in page.forms]
        if any(sent) and any(self._is_open(form) for form in page.forms):
            page = self._get(page.address)
        self.answer(page)

    def answer(self, page: Page) -> None:
        """Give a page the answers that it asks for, and save."""
        for form in page.forms:
            # What the portal knows already, as of somebody who adds themselves, is said by leaving it as it stands.
            if form.method == "post":
                self._keep(form)
        form = next((form for form in page.forms if self._is_open(form)), None)
        if form is not None:
            self._answer(form)

    def _answer(self, form: Form) -> None:
        """Fill in and bring the page up to date until it asks nothing new, then save."""
        while True:
            self._fill(form)
            update = next((button for button in form.buttons if is_update_button(button)), None)
            if update is None:
                # Where files stand in the same form, their buttons come before the one that saves.
                save = next((button for button in form.buttons if button.text.startswith("Save")), form.buttons[0])
                self._send(form, save, follow=False)
                return
            page = self._send(form, update)
            form = next(one for one in page.forms if one.buttons and any(map(_is_question, one.controls)))
            if not self._is_open(form):
                self._send(form, form.button("Save"), follow=False)
                return

    def _is_open(self, form: Form) -> bool:
        return form.method == "post" and any(self._wants(one) for one in form.controls)

    def _wants(self, control: Control) -> bool:
        # Whoever has a first name does not say that there is none.
        if control.name.endswith(":one_name"):
            return False
        return control.is_empty and _is_question(control) and (self.is_thorough or not control.is_optional)

    def _fill(self, form: Form) -> None:
        for control in form.controls:
            if self._wants(control):
                control.filled = [self._fitting_value(control)]

    def _send(self, form: Form, button: Button, *, follow: bool = True) -> Page:
        """Press the button, and keep what the form then held: the last that was sent is what was typed."""
        self._keep(form)
        return self._checked(self.browser.send(form, button, follow=follow))

    def _keep(self, form: Form) -> None:
        address, token = form.action.partition("?")[0], dict(form.fixed).get("token", "")
        for control in form.controls:
            if not control.is_empty:
                values = tuple(value for value in control.filled if value)
                chosen = tuple(control.label_of(value) for value in values)
                self.typed[address, token, control.name] = TypedAnswer(
                    form.heading, control.kind, control.words, values, chosen
                )

    def _fitting_value(self, control: Control) -> str:
        """A value that fits the control by its kind, words and hint; no two that are typed are alike."""
        self._answers_given += 1
        number = self._answers_given
        if control.options:
            offered = [option.value for option in control.options if option.value]
            return offered[number % len(offered)]
        words = control.words.lower()
        for pattern, value in (
            (r"\bday\b", str(number % 28 + 1)),
            (r"\bmonth\b", _MONTHS[number % 12]),
            (r"\byear\b", str(1950 + number % 50)),
            (r"e-?mail", f"ada.{number}@example.com"),
        ):
            if re.search(pattern, words):
                return value
        if control.kind == "tel":
            return f"+44 (20) 7946 0{number % 900 + 100}"
        if "percent" in words:
            return self._percentage(control)
        if control.inputmode == "decimal":
            return self._figure(words, number)
        if control.inputmode == "numeric":
            # Few, since a class may have said how many shares it has at most.
            return str(number % 40 + 1)
        if example := re.search(r"\blike ([A-Z]{3})\b", control.hint):
            return example[1]
        if control.kind == "textarea":
            return f"First line {number}.\r\nSecond line: Søren & “Ada” <b>."
        return f"Lärkfield & Søn’s {number}"

    def _percentage(self, control: Control) -> str:
        """Give the first party that is asked the whole, so that it adds up with any number of others."""
        is_first = control.label not in self._shared_out
        self._shared_out.add(control.label)
        return "100" if is_first else "0"

    def _figure(self, words: str, number: int) -> str:
        """Return an amount above every least capital, a price of one share, or a whole number."""
        if "par value" in words:
            return f"{number}.5" if number % 3 == 0 else str(number)
        return str(20_000 + number) if "amount" in words else str(number)

    def _upload(self, form: Form) -> bool:
        """Send a document wherever one is missing, each by the button that names it; whether one was sent."""
        file_controls = [
            one for one in form.controls if one.kind == "file" and (self.is_thorough or not one.is_optional)
        ]
        sent = False
        for control in file_controls:
            named = "".join(re.findall("“.+”", control.label))
            button = next((one for one in form.buttons if one.text.startswith("Upload") and named in one.text), None)
            if button is not None:
                self._upload_one(form, control, button)
                sent = True
        return sent

    def _upload_one(self, form: Form, control: Control, button: Button) -> None:
        content = small_pdf(len(self.sent))
        name = f"Paper – {len(self.sent)}.pdf"
        self._checked(self.browser.send(form, button, files={control.name: (name, content)}, follow=False))
        form_values = (*form.fixed, (button.name, button.value))
        self.sent.append(SentFile(form.action, form_values, control.words, name, sha256(content).hexdigest()))

    def _add(self, page: Page, need: str) -> None:
        """The need names a part of the page: use somebody known there, or follow the link that adds somebody."""
        part = next(
            (found for name in re.findall("“([^”]+)”", need) if (found := page.by_heading(name)) is not None), None
        )
        use = self._known_person_form(page, part)
        if use is not None:
            button = next(one for one in use.buttons if _uses_known_person(one))
            self.pressed.append((button.action, dict(use.fixed)))
            self._checked(self.browser.send(use, button, follow=False))
            return
        self.add(page, part)

    def add(self, page: Page, part: Element | None, *, choice: str = "") -> None:
        """Follow the link of a part of the page that adds something; `choice` is what to choose where one may."""
        address = next(address for text, address in page.links(around=part) if text.startswith("Add"))
        self._create(self._get(address), choice)

    def _known_person_form(self, page: Page, part: Element | None) -> Form | None:
        """A form of that part of the page that uses somebody of this application; None every second time."""
        if part is None or self._answers_given % 2:
            return None
        inside = {id(element) for element in part.iter("form")}
        forms = zip(page.root.xpath("//main//form"), page.forms, strict=True)
        within = (form for element, form in forms if id(element) in inside)
        return next((form for form in within if any(map(_uses_known_person, form.buttons))), None)

    def _create(self, page: Page, choice: str) -> None:
        """Go through the pages that make something new, to the page of what was made, and fill that in."""
        while (form := next(one for one in page.forms if one.buttons)).method == "get":
            for control in form.controls:
                wanted = [option.value for option in control.options if choice and choice in option.label]
                control.filled = wanted or [self._fitting_value(control)]
            page = self._send(form, form.buttons[0])
        self._fill(form)
        self.pressed.append((form.action, dict(form.fixed)))
        self.complete_page(
            self._send(form, next((one for one in form.buttons if is_update_button(one)), form.buttons[0]))
        )


def _is_question(control: Control) -> bool:
    return control.kind != "file"


def _uses_known_person(button: Button) -> bool:
    """Whoever is here already, and nobody from another application: what was typed there is not recorded here."""
    return button.text.startswith("Use ") and not button.action.endswith("/known/")


def is_update_button(button: Button) -> bool:
    """Whether it only brings the questions up to date, as script does by itself."""
    return button.text.startswith("Update")
