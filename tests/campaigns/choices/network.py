"""A network between page and server that is late, holds answers back, or fails, as its chance has it."""

import random
import time

from playwright.sync_api import Page as Tab
from playwright.sync_api import Route

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
        """Now and then what was held back goes on."""
        if self._chance.random() < 0.3:
            self._release()

    def recover(self) -> None:
        """From now on everything passes at once."""
        self._way = "prompt"
        self._release()

    def close(self) -> None:
        """Stand between page and server no longer."""
        self._tab.unroute("**/applications/**", self._pass)

    def _release(self) -> None:
        held, self._held = self._held, []
        for route in held:
            route.continue_()
