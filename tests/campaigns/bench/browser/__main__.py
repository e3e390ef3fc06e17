"""`make bench-browser`: the neutral form in the portal, as the least HTML, and in react-jsonschema-form, in one run.

Lines of `name value unit`, a kB being 1,024 bytes with headers; then one for each goal that was missed, and exit code
1. It needs Chromium and npm, and the network once; what npm brings stays in BENCH_FOLDER (default: a temporary folder).
RUNS=5 visits of each page, which take turns, after one that warms up; SIZES="40 200 1000" fields, CHOICES=8 choices and
as many taken back each time.
"""

import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from shutil import which
from statistics import median

from tests.campaigns.bench.browser.neutral import neutral_form
from tests.campaigns.bench.browser.peers import floor_page, rjsf_bundle, rjsf_page, served_files
from tests.campaigns.bench.browser.portal import portal_with
from tests.campaigns.bench.browser.visits import Address, measured, visit
from tests.journeys.browser import launched
from tests.needed import chromium

Figures = dict[tuple[int, str, str, str], float]

_UNITS = {"kB": "kB", "requests": "requests", "heap": "MB", "shift": ""}
_CHOICE = ("choice_shown", "choice_drawn", "choice_shown_rtt", "choice_drawn_rtt")


def main() -> int:
    missing = [name for name, there in (("npm", which("npm")), ("Chromium", chromium())) if not there]
    if missing:
        sys.stdout.write(f"not run: {missing[0]} is not installed\n")
        return 0
    sizes = [int(size) for size in os.environ.get("SIZES", "40 200 1000").split()]
    runs, choices = int(os.environ.get("RUNS", "5")), int(os.environ.get("CHOICES", "8"))
    forms = {size: neutral_form(size) for size in sizes}
    folder = Path(os.environ.get("BENCH_FOLDER", Path(tempfile.gettempdir()) / "formation-portal-bench"))
    files = {"/rjsf.js": rjsf_bundle(folder)}
    for size, form in forms.items():
        files |= {f"/floor-{size}": floor_page(form).encode(), f"/rjsf-{size}": rjsf_page(form).encode()}
    found: dict[tuple[int, str, str, str], list[float]] = {}
    with portal_with(list(forms.values())) as portal, served_files(files) as others, launched() as browser:
        controls = ("company_name", "is_regulated", "regulator_name")
        ours = ("[name='q:company_name']", "[name='q:is_regulated']:not(:checked)", "[name='q:regulator_name']")
        floor, rjsf = ([f"#{prefix}{name}" for name in controls] for prefix in ("", "root_"))
        pages = {
            size: [
                Address("portal", portal.address + section, *ours, portal.session),
                Address("floor", f"{others}/floor-{size}", *floor),
                Address("rjsf", f"{others}/rjsf-{size}", *rjsf),
            ]
            for size, section in zip(sizes, portal.sections, strict=True)
        }
        for page in (page for size in sizes for page in pages[size]):
            measured(browser, page, "desk", 1)
        for _ in range(runs):
            for size, profile in ((size, profile) for size in sizes for profile in ("desk", "slow")):
                for page in pages[size]:
                    for name, value in measured(browser, page, profile, choices).items():
                        found.setdefault((size, page.name, profile, name), []).append(value)
        with visit(browser, pages[sizes[0]][0]) as seen:
            seen.tab.goto(portal.address)
            seen.settle()
            catalog = {"kB": seen.bytes / 1024, "requests": float(seen.requests)}
    figures = {key: median(values) for key, values in found.items()}
    for (size, page_name, profile, name), value in figures.items():
        sys.stdout.write(f"{size}_{page_name}_{profile}_{name} {value:.4g} {_UNITS.get(name, 'ms')}\n")
    for name, value in catalog.items():
        sys.stdout.write(f"catalog_{name} {value:.4g} {_UNITS[name]}\n")
    goals = (*_missed(figures, sizes), *(_too_much("catalog", name, catalog) for name in catalog))
    missed = [line for line in goals if line]
    sys.stdout.writelines(f"missed: {line}\n" for line in missed)
    return int(bool(missed))


def _too_much(what: str, name: str, figures: Mapping[str, float]) -> str:
    most = {"kB": 50, "requests": 8}[name]
    return f"{what}_{name} {figures[name]:.4g}, at most {most}" if figures[name] > most else ""


def _missed(figures: Figures, sizes: list[int]) -> Iterator[str]:
    first = sizes[0]

    def figure(size: int, page: str, profile: str, name: str) -> float:
        return figures[size, page, profile, name]

    for name in ("kB", "requests"):
        yield _too_much(f"{first}_portal", name, {name: figure(first, "portal", "slow", name)})
    ours, floor = (figure(first, page, "slow", "usable") for page in ("portal", "floor"))
    if ours > 1.4 * floor:
        yield f"{first}_usable_slow {ours:.0f}, at most 1.4 x the floor's {floor:.0f}"
    for profile, times in (("slow", 2.2), ("desk", 2.0)):
        ours, peer = (figure(first, page, profile, "usable") for page in ("portal", "rjsf"))
        if ours * times > peer:
            yield f"{first}_usable_{profile} {ours:.0f}, at least {times} x sooner than {peer:.0f}"
    for (size, page, profile, name), value in figures.items():
        if page == "portal" and name in _CHOICE and value > (peer := figure(size, "rjsf", profile, name)):
            yield f"{size}_{profile}_{name} {value:.1f}, no later than {peer:.1f}"
        if page == "portal" and name == "shift" and value > 0.01:
            yield f"{size}_{profile}_shift {value:.3f}, at most 0.01"


if __name__ == "__main__":
    sys.exit(main())
