"""Every component in every state, drawn from the templates that the pages use; and the error pages."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import yaml
from django.http import QueryDict
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from formation_portal.accounts.sign_in import UnsentForm
from formation_portal.ui.readback import AnswerRow

_HERE = Path(__file__).parent
COMPONENTS = _HERE.parents[2] / "templates/ui"


@dataclass(frozen=True, slots=True)
class Specimen:
    """One component in one state, drawn."""

    title: str
    html: SafeString


@dataclass(frozen=True, slots=True)
class Exhibit:
    """One component: the element that it stands in, as tag and class, and its states."""

    name: str
    tag: str
    css_class: str
    is_entry: bool
    specimens: tuple[Specimen, ...]


@dataclass(frozen=True, slots=True)
class GalleryPage:
    """All of them, and those that only stand within others or frame every page."""

    exhibits: tuple[Exhibit, ...]
    elsewhere: tuple[str, ...]


def gallery_page() -> GalleryPage:
    """Draw every component in every state."""
    shown = _described()
    every = {path.stem for path in COMPONENTS.glob("[a-z]*.html")}
    return GalleryPage(tuple(_exhibits(shown)), tuple(sorted(every - shown.keys())))


@cache
def _described() -> Mapping[str, Any]:
    described: Mapping[str, Any] = yaml.safe_load((_HERE / "specimens.yaml").read_text())
    return described


def _exhibits(shown: Mapping[str, Any]) -> Iterator[Exhibit]:
    for name, described in shown.items():
        tag, _, css_class = described.get("within", "div").partition(".")
        states = tuple(
            Specimen(title, render_to_string(f"ui/{name}.html", _context(given, described.get("object"))))
            for title, given in described["states"].items()
        )
        yield Exhibit(name.replace("_", " "), tag, css_class, bool(described.get("is_entry")), states)


def _context(given: Mapping[str, Any], name: str | None) -> dict[str, Any]:
    """What a template is given in a state; all of it as one object, where the component takes one of that name."""
    return {name: _as_given(given)} if name else {key: _as_given(value) for key, value in given.items()}


def _as_given(value: Any) -> Any:
    """Templates are given objects; a mapping becomes one."""
    if isinstance(value, Mapping):
        return SimpleNamespace(**{key: _as_given(one) for key, one in value.items()})
    return [_as_given(one) for one in value] if isinstance(value, list) else value


_POSTED = (("q:name", ("Larkfield Holdings",)), ("version", ("3",)))

ERRORS: Mapping[str, Mapping[str, Any]] = {
    "400": {},
    "403": {},
    "403_csrf": {"posted": QueryDict("q:name=Larkfield+Holdings&version=3")},
    "404": {},
    "405": {},
    "410": {},
    "413": {},
    "429": {},
    "500": {},
    "503": {
        "unsent": UnsentForm("/", _POSTED, had_files=True),
        "typed": (AnswerRow("Name", "Larkfield Holdings", is_name=True),),
        "path": "/",
    },
}
