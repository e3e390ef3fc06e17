"""One sequence: choices on a page while the network is in trouble, which ends as the server alone would draw it."""

import copy
import random
import time
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Page as Tab
from playwright.sync_api import Route

from formation_portal.applications import services
from formation_portal.applications.draft import open_draft
from tests import factories
from tests.journeys.browser import TabBrowser

WAYS = ("prompt", "late", "held", "failing")


class Network:
    """What becomes of the changes that a tab posts, until it is well again."""

    def __init__(self, tab: Tab, chance: random.Random, way: str) -> None:
        self._tab = tab
        self._chance = chance
        self._way = way
        self._held: list[Route] = []
        tab.route("**/applications/**", self._pass)

    def _pass(self, route: Route) -> None:
        if route.request.method != "POST" or self._way == "prompt":
            route.continue_()
        elif self._way == "late":
            time.sleep(self._chance.random() * 0.05)
            route.continue_()
        elif self._way == "held":
            self._held.append(route)
        else:
            self._fail(route)

    def _fail(self, route: Route) -> None:
        """Half of them never reach the server, some are answered with an error, the rest pass."""
        fate = self._chance.random()
        if fate < 0.5:
            route.abort()
        elif fate < 0.75:
            route.fulfill(status=503, body="")
        else:
            route.continue_()

    def let_some_go(self) -> None:
        if self._chance.random() < 0.3:
            self._release()

    def recover(self) -> None:
        self._way = "prompt"
        self._release()

    def close(self) -> None:
        self._tab.unroute("**/applications/**", self._pass)

    def _release(self) -> None:
        held, self._held = self._held, []
        for route in held:
            route.continue_()


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
    sequences: dict[str, int] = field(default_factory=lambda: dict.fromkeys(WAYS, 0))
    choices: int = 0
    regions: int = 0
    different: list[str] = field(default_factory=list)

    @property
    def count(self) -> int:
        return sum(self.sequences.values())

    def figures(self) -> dict[str, int]:
        return {
            "sequences": self.count,
            **{f"sequences_{way}": count for way, count in self.sequences.items()},
            "choices": self.choices,
            "regions": self.regions,
            "different": len(self.different),
        }


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


# Too many for buttons, so that they are drawn as a list.
_COLOURS = ("Red", "Green", "Blue", "White", "Black", "Amber", "Violet")


def has_many_rules(document: dict[str, Any]) -> bool:
    fields = [spec for section in document["sections"] for spec in _fields(section)]
    return sum("depends_on" in spec for spec in fields) > 3


def _fields(section: dict[str, Any]) -> list[dict[str, Any]]:
    return [*section.get("fields", ()), *section.get("person_fields", ())]


def with_lists(document: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """The same form, with some of its choices long enough for a list."""
    changed = copy.deepcopy(document)
    for section in changed["sections"]:
        for spec in _fields(section):
            if spec["field_type"] == "select" and chance.random() < 0.3:
                spec["options"] = list(_COLOURS)
    return changed


def pages_of(document: dict[str, Any], owner: Any) -> list[str]:
    application = services.start(owner=owner, product=factories.product(schema=document))
    draft = open_draft(application)
    sections = [f"sections/{section.key}/" for section in draft.schema.entity_sections]
    roles = [str(section.role) for section in draft.schema.role_sections]
    for held in [[role] for role in roles] + ([roles] if len(roles) > 1 else []):
        services.add_party(draft, "person", held, {}, by=owner)
    parties = [f"people/{row.token}/" for row in draft.parties]
    if draft.holds_shares:
        services.add_share_class(draft, {}, by=owner)
    classes = [f"shares/classes/{row.token}/" for row in draft.share_classes]
    return [f"/applications/{application.reference}/{page}" for page in (*sections, *parties, *classes)]
