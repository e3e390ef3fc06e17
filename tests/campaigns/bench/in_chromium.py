"""How long a long section takes in a browser: until its first field shows, and until a choice shows its own."""

import statistics
from collections.abc import Iterator
from typing import Any

from django.test import Client
from playwright.sync_api import Page as Tab

from tests.journeys.browser import launched, sign_in
from tests.journeys.site import served

from . import Measure

SHORT, LONG = 60, 300

# The first frame in which the first field stands; from the moment when the page was asked for.
_FIRST_FIELD = """() => {
  const look = () => {
    const field = document.querySelector("main .field :is(input, select, textarea)");
    if (field && field.getBoundingClientRect().height) window.firstField = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""
# From the press to the frame that shows what follows from it.
_CHOICE = """() => new Promise((done) => {
  const boxes = [...document.querySelectorAll("main [type=radio]")].filter((one) => one.checkVisibility());
  const box = boxes.find((one) => !one.checked);
  const start = performance.now();
  box.click();
  requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
})"""
_IDLE = "() => !document.querySelector('.htmx-request')"


def measures(client: Client, sections: dict[int, str], rounds: int) -> Iterator[Measure]:
    with served() as base, launched() as browser:
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        sign_in(context, base, client.cookies["sessionid"].value)
        context.add_init_script(f"({_FIRST_FIELD})()")
        tab = context.new_page()
        first = {size: _first_field(tab, base + address, rounds) for size, address in sections.items()}
        choice = {size: _choice(tab, base + address, rounds) for size, address in sections.items()}
    for name, spent in (("first_field", first), ("choice_shown", choice)):
        for size, value in spent.items():
            yield f"{name}_{size}", value, "ms"
        yield f"{name}_{LONG}_against_{SHORT}", spent[LONG] / spent[SHORT], "x"


def _first_field(tab: Tab, address: str, rounds: int) -> float:
    spent: list[float] = []
    for _ in range(rounds + 1):
        tab.goto(address)
        tab.wait_for_function("() => window.firstField")
        spent.append(float(tab.evaluate("() => window.firstField")))
    return statistics.median(spent[1:])


def _choice(tab: Tab, address: str, rounds: int) -> float:
    tab.goto(address)
    spent: list[Any] = []
    for _ in range(rounds + 1):
        spent.append(tab.evaluate(_CHOICE))
        tab.wait_for_function(_IDLE)
    return statistics.median(spent[1:])
