"""A generic client: knows no product, field or role. It reads pages, fills in what fits each control, and submits.

It works without script, over any object that answers `get(address)` and `post(address, pairs, files)` with the
final page after redirects.
"""

from __future__ import annotations

import re
from typing import Protocol

from tests.journeys.page import Control, Form, Page

# The least that is a PDF by its content.
PAPER = b"%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"

_MOST_PAGES = 400


class Browser(Protocol):
    """What the client needs of whatever carries its requests."""

    def get(self, address: str) -> Page: ...

    def post(self, form: Form, pairs: list[tuple[str, str]], files: dict[str, bytes]) -> Page: ...


class Stranger:
    """Brings an application from its overview to "submitted" by reading the pages alone."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.typed: list[tuple[str, str, list[str]]] = []
        self._seen = 0
        self._names = 0

    def submit(self, overview: Page) -> Page:
        """Follow what is needed until nothing is, then submit; gives the page that follows."""
        check = self.browser.get(overview.link("Check your answers"))
        while needs := self._needs(check):
            self._mend(needs)
            check = self.browser.get(check.address)
        submission = self.browser.get(next(a for text, a in check.links() if "ubmit" in text))
        form = next(form for form in submission.forms() if form.method == "post")
        self._fill(form)
        return self.browser.post(form, form.data(), {})

    def _needs(self, page: Page) -> list[tuple[str, str]]:
        items = page.root.xpath("//main//*[@id='needs' or contains(@class,'needs')]//li//a[@href]")
        found = {(" ".join(link.text_content().split()), link.get("href")) for link in items}
        return sorted((text, Page.link_address(page, href)) for text, href in found)

    def _mend(self, needs: list[tuple[str, str]]) -> None:
        """Open each page that something is needed on, once, and do there what can be done."""
        for address in dict.fromkeys(address.partition("#")[0] for _, address in needs):
            self._count()
            page = self.browser.get(address)
            self._upload(page)
            if not self._answer(self.browser.get(address)):
                self._add(self.browser.get(address))

    def _count(self) -> None:
        self._seen += 1
        assert self._seen < _MOST_PAGES, "the client goes round in circles"

    def _answer(self, page: Page) -> bool:
        """Fill in and save the page's forms until it asks nothing new; whether anything was filled in."""
        did = False
        for _ in range(12):
            form = self._fillable(page)
            if form is None:
                return did
            self._fill(form)
            button = "Update" if any("Update" in text for *_, text in form.buttons) else None
            page = self.browser.post(form, form.data(button=button), {})
            assert not page.title.startswith("Error"), f"{page.title}: {errors(page)}"
            if button is None:
                return True
            did = True
            if self._fillable(page) is None:
                self.browser.post(form := self._main(page), form.data(button="Save"), {})
        return did

    def _main(self, page: Page) -> Form:
        return max((form for form in page.forms() if form.method == "post"), key=lambda form: len(form.controls))

    def _fillable(self, page: Page) -> Form | None:
        forms = (form for form in page.forms() if form.method == "post" and not form.is_multipart)
        return next((form for form in forms if any(self._wants(control) for control in form.controls)), None)

    @staticmethod
    def _wants(control: Control) -> bool:
        return not control.filled and not control.is_optional and control.kind != "file"

    def _fill(self, form: Form) -> None:
        for control in form.controls:
            if self._wants(control):
                control.filled = self._fitting(control)
                self.typed.append((form.action, control.name, control.filled))

    def _fitting(self, control: Control) -> list[str]:
        """A value that fits the control, by its kind, type and label."""
        if control.kind in ("radio", "checkbox"):
            return control.values[:1]
        if control.kind == "select":
            return [next(value for value in control.values if value)]
        label = f"{control.group} {control.label}".lower()
        for pattern, value in _BY_LABEL:
            if re.search(pattern, label):
                return [value]
        if control.kind == "email":
            return ["ada@example.com"]
        if control.kind == "tel":
            return ["+44 20 7946 0123"]
        if control.inputmode in ("numeric", "decimal"):
            return ["1"]
        self._names += 1
        return [f"Larkfield {self._names}"]

    def _upload(self, page: Page) -> None:
        """Send a paper to every slot that isn't optional, each by its own form."""
        for form in page.forms():
            papers = [control for control in form.controls if control.kind == "file" and not control.is_optional]
            if papers and "missing" in self._around(page, form).lower():
                self.browser.post(form, form.data(), {papers[0].name: PAPER})

    @staticmethod
    def _around(page: Page, form: Form) -> str:
        del form
        return page.root.text_content()

    def _add(self, page: Page) -> None:
        """Follow the page's links that add somebody or something, and fill in what they open."""
        for text, address in list(page.links()):
            if text.startswith(("Add", "Define")):
                self._count()
                self._answer(self.browser.get(address))


_BY_LABEL = (
    (r"\bday\b", "27"),
    (r"\bmonth\b", "March"),
    (r"\byear\b", "1985"),
    (r"e-?mail", "ada@example.com"),
    (r"phone", "+44 20 7946 0123"),
)


def errors(page: Page) -> str:
    """The words of the error summary."""
    return " | ".join(
        " ".join(item.text_content().split()) for item in page.root.xpath("//*[contains(@class,'error-summary')]//li")
    )
