"""A generic client with realistic answers, for pictures of the pages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from io import BytesIO
from itertools import count

from PIL import Image, ImageDraw

from tests.journeys.actors.generic_client import GenericClient
from tests.journeys.page import Button, Control, Form, Page

# What is typed, by the page's words for it: the first pattern that fits gives its values in turn.
_TYPED_VALUES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"\bday\b", ("27", "14", "3", "9")),
    (r"\bmonth\b", ("March", "June", "September", "May")),
    (r"expir.*\byear\b|\byear\b.*expir", ("2031", "2033")),
    (r"\byear\b", ("1984", "1979", "1991", "2008")),
    (r"e-?mail", ("ingrid@solheim.example", "tomas@arrieta.example", "office@kestrel.example", "noor@haddad.example")),
    (r"first name", ("Ingrid Marie", "Tomás", "Joost", "Noor")),
    (r"last name", ("Solheim", "Arrieta", "van der Meer", "Haddad")),
    (r"legal name", ("Kestrel Capital B.V.", "Northlight Cable AS")),
    (r"name of the foundation", ("Stichting Wilgenhof",)),
    (r"choice of name", ("Larkfield Holdings", "Larkfield Overseas", "Larkfield Ventures")),
    (r"name of the class|^name", ("Ordinary A", "Preferred B")),
    (r"legal form", ("Besloten vennootschap",)),
    (r"registration number", ("68750110", "921456870")),
    (r"passport number", ("PN4417702", "XDC881204", "NR93K2210")),
    (r"town and country", ("Tromsø, Norway", "Bilbao, Spain", "Leiden, Netherlands")),
    (r"street|line 1|lines", ("Storgata 12", "Calle Ledesma 8", "Rapenburg 70")),
    (r"postcode|postal", ("9008", "48001", "2311 EZ")),
    (r"town|city", ("Tromsø", "Bilbao", "Leiden")),
    (r"state|region|province|county", ("Troms", "Bizkaia", "Zuid-Holland")),
    (r"tax identification", ("27038412345", "72541890K")),
    (r"occupation", ("Ship broker", "Engineer", "Lawyer")),
    (r"signs for it|founder|responsible party", ("Joost van der Meer",)),
    (r"position", ("Managing director",)),
    (r"percent", ("50", "30")),
    (r"maximum number", ("40000", "10000")),
    (r"par value|amount", ("1", "0.50")),
    (r"number of shares|shares", ("10000", "5000")),
    (r"wealth", ("Founded Solheim Kjøling AS in 2011 and holds 60% of it; dividends since 2016.",)),
    (
        r"describe|purpose",
        (
            "Larkfield holds the shares of two operating companies in Norway and the Netherlands that lease "
            "cold-storage equipment to fish exporters. It receives dividends and lends to both.",
        ),
    ),
)

# What is chosen, by the page's words for it; elsewhere no rather than yes, and else what is offered first.
_CHOSEN_LABELS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"currency", ("US dollar", "USD")),
    (r"what will it do", ("Holding company", "Holding")),
    (r"nationality", ("Norwegian", "Norway")),
    (r"country|countries|where", ("Norway",)),
    (r"par value|votes|dividends", ("Yes",)),
    (r"", ("No",)),
)
PHONE = "+47 22 12 34 56"


class RealisticClient(GenericClient):
    """Answers like Ingrid Solheim, who forms Larkfield Holdings."""

    def _fitting_value(self, control: Control) -> str:
        self._answers_given += 1
        words = control.words.lower()
        if control.options:
            return _offered(control, _first_match(_CHOSEN_LABELS, words, also=True))
        if control.kind == "tel":
            return PHONE
        values = _first_match(_TYPED_VALUES, words)
        if not values:
            return "1000" if control.inputmode in ("numeric", "decimal") else "As agreed with the bank."
        turns = self._turns.setdefault(values, count())
        return values[next(turns) % len(values)]

    def _upload_one(self, form: Form, control: Control, button: Button) -> None:
        name = re.sub(r"\W+", " ", re.sub(r"\(optional\)", "", control.group or control.label)).strip()
        self._checked(
            self.browser.send(form, button, files={control.name: (f"{name}.pdf", _scanned_page())}, follow=False)
        )

    @property
    def _turns(self) -> dict[tuple[str, ...], count[int]]:
        turns: dict[tuple[str, ...], count[int]] = self.__dict__.setdefault("_by_values", {})
        return turns

    def fill_in(self, page: Page, answers: Mapping[str, str], *, button: str) -> Page:
        """Answer the questions with these words, each by what is typed or by the label of what is chosen, and press."""
        form = page.form(button=button)
        for words, answer in answers.items():
            control = form.control(words)
            control.filled = [_offered(control, (answer,)) if control.options else answer]
        return self._send(form, form.button(button))

    def complete(self, overview: Page) -> Page:
        """Do what is needed until nothing is; gives the page that checks it."""
        check = self.follow(overview, "Check your answers")
        while check.needs:
            self._resolve(check.needs)
            check = self._get(check.address)
        return check

    def follow(self, page: Page, text: str) -> Page:
        return self._get(page.link(text))


@cache
def _scanned_page() -> bytes:
    """A page with a photo and lines as PDF, as a scanner makes it."""
    page, file = Image.new("RGB", (1240, 1754), "white"), BytesIO()
    pen = ImageDraw.Draw(page)
    pen.rectangle((140, 180, 460, 600), fill="#9fb4bb")
    for row in range(18):
        pen.rectangle((540 if row < 6 else 140, 190 + row * 75, 1100 - row * 37 % 300, 220 + row * 75), fill="#40505b")
    page.save(file, "PDF", resolution=150)
    return file.getvalue()


def _first_match(table: tuple[tuple[str, tuple[str, ...]], ...], words: str, *, also: bool = False) -> tuple[str, ...]:
    """The values of the first pattern that fits; those of all that fit, where one may not be offered."""
    fitting = [values for pattern, values in table if re.search(pattern, words)]
    return tuple(value for values in fitting for value in values) if also else next(iter(fitting), ())


def _offered(control: Control, labels: tuple[str, ...]) -> str:
    offered = [option for option in control.options if option.value]
    for label in labels:
        for option in offered:
            if option.label == label or option.label.startswith(f"{label} "):
                return option.value
    return offered[0].value
