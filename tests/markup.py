"""Reads a page more strictly than any browser: tags close, ids are unique, what is tied to a name finds it."""

import re
from collections import Counter
from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = frozenset({"br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"})
_CONTROLS = frozenset({"input", "select", "textarea"})


@dataclass
class Element:
    """A tag as it stands in the source, with the text inside it. White space is one space, as in a browser."""

    tag: str
    attributes: dict[str, str]
    ancestors: tuple["Element", ...] = field(repr=False)
    text: str = ""

    def inside(self, tag: str) -> bool:
        """Whether it stands anywhere inside such a tag."""
        return any(one.tag == tag for one in self.ancestors)


class Markup(HTMLParser):
    """The elements of a piece of HTML, in their order. `faults` says what is wrong with it."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self.faults: list[str] = []
        self._open: list[Element] = []
        self.feed(html)
        self.close()
        for one in self.elements:
            if one.tag not in ("textarea", "pre"):
                one.text = re.sub(r"[ \t\r\n\f]+", " ", one.text).strip(" ")
        self.faults += [f"<{one.tag}> is never closed" for one in self._open]
        self.faults += self._broken_ties()
        self.faults += [
            f"the link {one.text!r} leads nowhere" for one in self.all("a") if not one.attributes.get("href")
        ]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        doubled = [name for name, times in Counter(name for name, _ in attrs).items() if times > 1]
        self.faults += [f"<{tag}> has {name} twice" for name in doubled]
        element = Element(tag, {name: value or "" for name, value in attrs}, tuple(self._open))
        self.elements.append(element)
        if tag not in _VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        if self._open and self._open[-1].tag == tag:
            self._open.pop()
        else:
            self.faults.append(f"</{tag}> closes nothing")

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.text += data

    def all(self, tag: str, **attributes: str) -> list[Element]:
        """The elements of a tag that have these attributes; an underscore stands for a hyphen."""
        wanted = {name.strip("_").replace("_", "-"): value for name, value in attributes.items()}
        return [one for one in self.elements if one.tag == tag and wanted.items() <= one.attributes.items()]

    def one(self, tag: str, **attributes: str) -> Element:
        found = self.all(tag, **attributes)
        assert len(found) == 1, f"{len(found)} of <{tag} {attributes}>"
        return found[0]

    @property
    def controls(self) -> list[Element]:
        return [one for one in self.elements if one.tag in _CONTROLS and one.attributes.get("type") != "hidden"]

    def unlabelled(self) -> list[Element]:
        """Controls that no label names."""
        named = {one.attributes.get("for") for one in self.all("label")}
        return [
            one
            for one in self.controls
            if one.attributes.get("id") not in named and not one.inside("label") and "aria-label" not in one.attributes
        ]

    def _broken_ties(self) -> list[str]:
        ids = Counter(one.attributes["id"] for one in self.elements if "id" in one.attributes)
        doubled = [f"id {name} stands {times} times" for name, times in ids.items() if times > 1]
        tied = [
            (attribute, name)
            for one in self.elements
            for attribute in ("aria-describedby", "aria-labelledby", "for")
            for name in one.attributes.get(attribute, "").split()
        ]
        return doubled + [
            f"{attribute} names {name}, which is not there" for attribute, name in tied if name not in ids
        ]
