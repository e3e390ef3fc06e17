"""Customers of a campaign of kills: they save and submit over HTTP, and remember what they were promised."""

import itertools
import json
import time
from collections.abc import Callable
from pathlib import Path

import requests
from django.db import connections
from django.test import Client
from lxml.etree import ParserError

from formation_portal.applications import services
from formation_portal.applications.draft import open_draft
from formation_portal.applications.models import Application
from tests.journeys.clients import HttpBrowser
from tests.journeys.page import Button, Form

from . import applications

SAVES = 3
_QUESTION = "Goods"
# Seconds: longer than all kills together, since on a busy machine nothing may be answered between one and the next.
_PATIENCE = 240.0
_AGAIN_SECONDS = 0.05


class Customer:
    """One browser. What the portal has acknowledged stands in `promised` before the customer goes on."""

    def __init__(self, *, port: int, promised: Path, over: Path) -> None:
        """The day is over when there is a file at `over`."""
        self._base = f"http://127.0.0.1:{port}"
        self._promised, self._over = promised, over

    def live(self, first: int, step: int) -> None:
        """One application after the other, until it is over; each is finished that was begun."""
        client = Client()
        client.force_login(applications.customer())
        self._browser = HttpBrowser(self._base)
        self._browser.session.cookies.update({name: one.value for name, one in client.cookies.items()})
        for number in itertools.count(first, step):
            if self._over.exists():
                return
            self._apply(number)

    def _apply(self, number: int) -> None:
        owner = applications.customer()
        draft = open_draft(services.start(owner=owner, product=applications.product()))
        applications.fill(draft, number, by=owner)
        home = f"/applications/{draft.application.reference}"
        for time_round in range(SAVES):
            purpose = f"To hold shares, said {time_round} times"
            self._until_acknowledged(lambda value=purpose: self._save(home, value))
            self._promise(draft.application.reference, purpose=purpose)
        self._until_acknowledged(lambda: self._submit(home))
        self._promise(draft.application.reference, submitted=True)
        connections.close_all()

    def _save(self, home: str, purpose: str) -> bool:
        page = self._browser.get(f"{home}/sections/{applications.SECTION}/")
        form = next(one for one in page.forms if any(_QUESTION in control.words for control in one.controls))
        form.control(_QUESTION).filled = [purpose]
        return self._send(form, form.button("Save and continue"))

    def _submit(self, home: str) -> bool:
        page = self._browser.get(f"{home}/check/")
        form = next((one for one in page.forms if one.action.endswith("/submission/")), None)
        if form is None:
            # It was submitted by a try whose answer never came.
            return page.status == 200 and "/status/" in page.text
        for control in form.controls:
            control.filled = [option.value for option in control.options]
        return self._send(form, form.button())

    def _send(self, form: Form, button: Button) -> bool:
        """Whether it was done: only then the portal sends on to the next page, which nobody follows."""
        answer = self._browser.session.post(
            self._base + button.action, data=form.data(button), headers={"Origin": self._base}, allow_redirects=False
        )
        return answer.status_code in (302, 303)

    def _until_acknowledged(self, action: Callable[[], bool]) -> None:
        """As people do: what gave no answer is done again. Raises TimeoutError where it never gets one."""
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until:
            try:
                if action():
                    return
            except (requests.RequestException, ParserError, StopIteration):
                self._browser.session.close()
            time.sleep(_AGAIN_SECONDS)
        raise TimeoutError("The portal did not answer")

    def _promise(self, reference: str, **what: object) -> None:
        with self._promised.open("a") as file:
            file.write(json.dumps({"reference": reference, **what}) + "\n")


def broken_promises(promised: Path) -> list[str]:
    lines = [json.loads(line) for line in promised.read_text().splitlines()] if promised.exists() else []
    purposes = {one["reference"]: one["purpose"] for one in lines if "purpose" in one}
    submitted = {one["reference"] for one in lines if "submitted" in one}
    broken = []
    for application in Application.objects.filter(reference__in=purposes):
        if open_draft(application).entity_raw.get(applications.PURPOSE) != purposes[application.reference]:
            broken.append(f"lost: {application.reference} has not the purpose that was acknowledged")
        if application.reference in submitted and application.is_open:
            broken.append(f"lost: {application.reference} was submitted, and is not")
    return broken
