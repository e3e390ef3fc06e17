"""The gallery: each component of templates/components with its states, as specimens.yaml describes them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import yaml
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

_HERE = Path(__file__).parent
COMPONENTS = _HERE.parents[2] / "templates/components"


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
    every = {path.stem for path in COMPONENTS.glob("*.html")}
    return GalleryPage(tuple(_exhibits(shown)), tuple(sorted(every - shown.keys())))


@cache
def _described() -> Mapping[str, Any]:
    described: Mapping[str, Any] = yaml.safe_load((_HERE / "specimens.yaml").read_text())
    return described


def _exhibits(shown: Mapping[str, Any]) -> Iterator[Exhibit]:
    for name, described in shown.items():
        tag, _, css_class = described.get("within", "div").partition(".")
        states = tuple(Specimen(title, _drawn(name, given)) for title, given in described["states"].items())
        yield Exhibit(name.replace("_", " "), tag, css_class, bool(described.get("is_entry")), states)


def _drawn(name: str, given: Mapping[str, Any]) -> SafeString:
    return render_to_string(f"components/{name}.html", {key: _as_given(value) for key, value in given.items()})


def _as_given(value: Any) -> Any:
    """Templates are given objects; a mapping becomes one."""
    if isinstance(value, Mapping):
        return SimpleNamespace(**{key: _as_given(one) for key, one in value.items()})
    return [_as_given(one) for one in value] if isinstance(value, list) else value
