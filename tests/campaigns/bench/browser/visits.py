"""One visit of a page in Chromium, as its user has it.

What it brings, when the first field can be typed in, and how long a choice takes until its question shows and is drawn.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Any

from playwright.sync_api import Browser, BrowserContext, CDPSession
from playwright.sync_api import Page as Tab

from tests.journeys.browser import sign_in

# Processor so many times slower; milliseconds a request; bytes a second down and up. Slow 4G is what Lighthouse and the
# browser's own tools call so: 562 ms stand for a whole new connection, 150 for a request on one that is open.
PROFILES: dict[str, tuple[int, float, float, float]] = {
    "desk": (1, 0, -1, -1),
    "slow": (4, 562.5, 1.6 * 1024 * 0.9 * 1024 / 8, 750 * 0.9 * 1024 / 8),
    "rtt": (4, 150, 1.6 * 1024 * 1024 / 8, 750 * 1024 / 8),
}

_WATCH = """(() => {
  const first = () => document.querySelector(FIRST);
  const drawn = (then) => requestAnimationFrame(() => setTimeout(then));
  window.bench = { shift: 0 };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) bench.shift += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
  const look = () => {
    const field = first();
    if (!field?.getClientRects().length || field.disabled) return requestAnimationFrame(look);
    field.focus();
    drawn(() => (bench.isReady = true));
  };
  look();
  addEventListener("input", ({ target }) => {
    if (target === first()) drawn(() => { if (first().value) bench.usable ??= performance.now(); });
  }, true);
  bench.arm = (choice, follower, isWanted) => {
    const control = document.querySelector(choice);
    const isThere = () => Boolean(document.querySelector(follower)?.getClientRects().length) === isWanted;
    bench.choice = null;
    let start = 0;
    let shown = 0;
    const look = () => {
      if (!start || shown || !isThere()) return;
      shown = performance.now() - start;
      drawn(() => (bench.choice = [shown, performance.now() - start]));
    };
    const each = () => { look(); if (!shown) requestAnimationFrame(each); };
    addEventListener("click", ({ timeStamp }) => {
      start = timeStamp;
      setTimeout(look);
      requestAnimationFrame(each);
    }, { capture: true, once: true });
    control.scrollIntoView({ block: "center" });
    const { x, y, width, height } = control.getBoundingClientRect();
    return [x + width / 2, y + height / 2];
  };
})()"""


@dataclass(frozen=True)
class Address:
    """A page to visit, and its controls as selectors: what is typed in first, a choice, and what follows from it."""

    name: str
    url: str
    first: str
    choice: str
    follower: str
    session: str = ""


class Visit:
    """A tab with a cold cache, and what came over the wire into it."""

    def __init__(self, context: BrowserContext, first: str) -> None:
        self.tab: Tab = context.new_page()
        self.cdp: CDPSession = context.new_cdp_session(self.tab)
        self.bytes = 0
        # Of the wire; what the cache answers is none.
        self.requests = 0
        self._wanted: set[str] = set()
        self.cdp.on("Network.requestWillBeSent", self._sent)
        self.cdp.on("Network.loadingFinished", self._came)
        self.cdp.send("Network.enable")
        self.tab.add_init_script(_WATCH.replace("FIRST", repr(first)))

    def _sent(self, event: Any) -> None:
        if event["request"]["url"].startswith("http"):
            self._wanted.add(event["requestId"])

    def _came(self, event: Any) -> None:
        if event["requestId"] in self._wanted:
            self.bytes += event["encodedDataLength"]
            self.requests += event["encodedDataLength"] > 0

    def throttle(self, profile: str) -> None:
        rate, latency, down, up = PROFILES[profile]
        self.cdp.send("Emulation.setCPUThrottlingRate", {"rate": rate})
        network = {"offline": False, "latency": latency, "downloadThroughput": down, "uploadThroughput": up}
        self.cdp.send("Network.emulateNetworkConditions", network)

    def load(self, url: str) -> float:
        """Milliseconds until a letter that was typed in the first field is in it and drawn."""
        self.tab.goto(url, wait_until="commit", timeout=120_000)
        self.tab.wait_for_function("() => window.bench.isReady", polling="raf", timeout=120_000)
        self.cdp.send("Input.dispatchKeyEvent", {"type": "keyDown", "key": "a", "code": "KeyA", "text": "a"})
        self.cdp.send("Input.dispatchKeyEvent", {"type": "keyUp", "key": "a", "code": "KeyA"})
        self.tab.wait_for_function("() => window.bench.usable", polling="raf", timeout=120_000)
        usable = float(self.tab.evaluate("() => window.bench.usable"))
        self.tab.wait_for_load_state("load")
        self.settle()
        return usable

    def settle(self) -> None:
        before = -1
        while before != self.bytes:
            before = self.bytes
            self.tab.wait_for_timeout(800)

    def choose(self, page: Address, *, is_wanted: bool) -> tuple[float, float]:
        """Milliseconds from the press until the follower has a box, or has none; and until that is drawn."""
        x, y = self.tab.evaluate("(given) => bench.arm(...given)", [page.choice, page.follower, is_wanted])
        self.tab.mouse.click(x, y)
        self.tab.wait_for_function("() => window.bench.choice", polling=20, timeout=120_000)
        shown, drawn = self.tab.evaluate("() => window.bench.choice")
        self.tab.wait_for_timeout(120)
        return shown, drawn

    def heap(self) -> float:
        self.cdp.send("Performance.enable")
        self.cdp.send("HeapProfiler.collectGarbage")
        found = {one["name"]: one["value"] for one in self.cdp.send("Performance.getMetrics")["metrics"]}
        return float(found["JSHeapUsedSize"]) / 1e6


@contextmanager
def visit(browser: Browser, page: Address) -> Iterator[Visit]:
    """A visit by somebody whose browser has nothing of the page yet; signed in where the page asks for it."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    try:
        if page.session:
            sign_in(context, "/".join(page.url.split("/")[:3]), page.session)
        yield Visit(context, page.first)
    finally:
        context.close()


def measured(browser: Browser, page: Address, profile: str, choices: int) -> dict[str, float]:
    with visit(browser, page) as seen:
        seen.throttle(profile)
        figures = {"usable": seen.load(page.url)}
        figures |= {"kB": seen.bytes / 1024, "requests": seen.requests, "heap": seen.heap()}
        figures["shift"] = float(seen.tab.evaluate("() => window.bench.shift"))
        for name in (profile, *(["rtt"] if profile == "slow" else [])):
            seen.throttle(name)
            taken = [seen.choose(page, is_wanted=not at % 2) for at in range(2 * choices)]
            more = "" if name == profile else f"_{name}"
            figures[f"choice_shown{more}"] = median(shown for shown, _ in taken)
            figures[f"choice_drawn{more}"] = median(drawn for _, drawn in taken)
        # The next visit begins with what was saved: the last choice, taken back.
        seen.throttle("desk")
        seen.tab.wait_for_function("() => !document.querySelector('.htmx-request')", timeout=60_000)
        seen.settle()
        return figures
