"""One sequence: choices on a page while the network is in trouble, which ends as the server alone would draw it."""

import random
from dataclasses import dataclass, field
from typing import Any

from tests.journeys.browser import TabBrowser

from .network import WAYS, Network

_CHOICES = 10

# Every region of a page by its id: whether it shows and whether its marker is posted; and what every control holds. The
# boxes of roles are no questions: one that was given up, and that nobody could take now, stays until the page is left.
_STANDS = """(root) => {
  const regions = [...root.querySelectorAll(".region[data-questions]")].map((region) =>
    [region.id, [!region.hidden, !region.querySelector('[name="shown"]').disabled]]);
  const controls = [...root.querySelectorAll("main :is(input, select, textarea)")]
    .filter(({type, name}) => !["hidden", "file"].includes(type) && name !== "roles")
    .map((one) => [`${one.name}=${one.type === "radio" || one.type === "checkbox" ? one.value : ""}`,
      one.type === "radio" || one.type === "checkbox" ? one.checked : one.value]);
  return {regions: Object.fromEntries(regions), controls: Object.fromEntries(controls)};
}"""
_HERE = f"() => ({_STANDS})(document)"
_DRAWN_BY_SERVER = f"""async () => {{
  const answer = await fetch(location.href, {{cache: "no-store"}});
  return ({_STANDS})(new DOMParser().parseFromString(await answer.text(), "text/html"));
}}"""
_SEEN = """[...document.querySelectorAll("main :is(input, select)")].filter((one) =>
    !["hidden", "file"].includes(one.type) && one.checkVisibility())"""
_IS_ASKING = f"() => {_SEEN}.length > 0"
# One choice at a control that can be seen, as a hand makes it: which one is told by a number.
_CHOOSE = (
    f"(number) => {{ const seen = {_SEEN};"
    + """
  const one = seen[number % seen.length];
  if (["radio", "checkbox"].includes(one.type)) return one.click();
  if (one.options) one.selectedIndex = number % one.options.length;
  else one.value = String(number % 3);
  one.dispatchEvent(new Event("change", {bubbles: true}));
}"""
)


@dataclass
class Tally:
    """How much was tried, by the way that the network went, and what came out different."""

    sequences: dict[str, int] = field(default_factory=lambda: dict.fromkeys(WAYS, 0))
    choices: int = 0
    regions: int = 0
    different: list[str] = field(default_factory=list)

    @property
    def count(self) -> int:
        """All sequences."""
        return sum(self.sequences.values())


def run(browser: TabBrowser, address: str, chance: random.Random, tally: Tally) -> None:
    """Open the page, choose while the network is as it is, let it recover, and compare.

    A page without rules, or where nothing is asked at present, is passed over.
    """
    tab = browser.tab
    tab.goto(browser.base + address)
    regions = tab.locator(".region[data-questions]").count()
    if not regions or not tab.evaluate(_IS_ASKING):
        return
    way = WAYS[tally.count % len(WAYS)]
    numbers = [chance.randrange(10_000) for _ in range(_CHOICES)]
    network = Network(tab, chance, way)
    for number in numbers:
        tab.evaluate(_CHOOSE, number)
        network.let_some_go()
    network.recover()
    _send_again(browser)
    here, there = tab.evaluate(_HERE), tab.evaluate(_DRAWN_BY_SERVER)
    network.close()
    tally.sequences[way] += 1
    tally.choices += len(numbers)
    tally.regions += regions
    if here != there:
        tally.different.append(f"{way} {address} {numbers}: {_differing(here, there)}")


def _send_again(browser: TabBrowser) -> None:
    """What a person does once the network is back: where the page says that it isn't saved, they press the button."""
    browser.settle()
    for _ in range(2):
        again = browser.tab.locator("[data-retry]")
        if again.count():
            again.click()
            browser.settle()


def _differing(here: dict[str, dict[str, Any]], there: dict[str, dict[str, Any]]) -> dict[str, Any]:
    return {
        name: (one.get(name), there[part].get(name))
        for part, one in here.items()
        for name in one.keys() | there[part].keys()
        if one.get(name) != there[part].get(name)
    }
