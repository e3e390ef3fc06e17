"""A generic client that changes its mind: removes answers, fills them in again, and may delete or withdraw it all."""

import re
from hashlib import sha256
from urllib.parse import urlsplit

from tests.journeys.actors.generic_client import GenericClient, SentFile, small_pdf
from tests.journeys.page import Button, Control, Form, Page

# Large enough to go through a temporary file, as every fourth one is.
_LARGE = 3_000_000


class Shopper(GenericClient):
    """Works on one application."""

    def complete(self, overview: Page) -> None:
        """Do what is needed until nothing is."""
        check = self._get(overview.link("Check your answers"))
        while check.needs:
            self._resolve(check.needs)
            check = self._get(check.address)

    def remove_some(self, home: str) -> None:
        """A file and a person, where there are any."""
        for form in self._get(f"{home}documents/").forms:
            if urlsplit(form.buttons[0].action).path.endswith("/removal/"):
                self._send(form, form.buttons[0], follow=False)
                break
        links = [address for _, address in self._get(f"{home}people/").links()]
        person = next((one for one in links if re.search(r"/people/(?!new/)[^/]+/$", one)), None)
        if person:
            self._press(f"{person}removal/")
            # The person who comes in their place is given the whole again.
            self._shared_out.clear()

    def finish(self, overview: Page, home: str, number: int) -> None:
        """Every third is deleted, every third withdrawn once it is submitted, every third left with the team."""
        if number % 3 == 0:
            self._press(f"{home}removal/")
            return
        self.submit(overview)
        if number % 3 == 1:
            self._press(f"{home}withdrawal/")

    def _press(self, address: str) -> None:
        form = next(one for one in self._get(address).forms if one.method == "post")
        self._send(form, form.buttons[0], follow=False)

    def _upload_one(self, form: Form, control: Control, button: Button) -> None:
        number = len(self.sent)
        content = small_pdf(number, size=0 if number % 4 else _LARGE)
        self._checked(self.browser.send(form, button, files={control.name: ("paper.pdf", content)}, follow=False))
        self.sent.append(SentFile(form.action, (), control.words, "paper.pdf", sha256(content).hexdigest()))
