"""What a page is made of: its elements and their attributes, wherever they stand, without any text."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lxml import html as lxml_html

from .payloads import COUNT, LENGTHS, mark, masked

# What a browser goes to, or takes a file from.
_ADDRESSES = frozenset(
    {"href", "src", "action", "formaction", "data", "poster", "background", "srcset", "ping", "cite", "xlink:href"}
    | {"hx-get", "hx-post", "hx-put", "hx-patch", "hx-delete", "hx-push-url", "hx-replace-url"}
)
_OURS = re.compile(r"(?:https?:|mailto:|/|#|\?|\.|data:image/|$)|[a-z0-9._%/-]*(?:[?#]|$)", re.IGNORECASE)
_HEARD = ("value", "aria-label", "title", "alt", "placeholder", "content", "label")
_MARK = re.compile(r"\bz[a-z]+z([0-5]\d)\b")


@dataclass(frozen=True)
class SeenPage:
    """A page that somebody has opened, or the region that answers a change."""

    who: str
    address: str
    status: int
    html: str

    @property
    def name(self) -> str:
        return f"{self.address[:100]} ({self.status}, {self.who})"

    @cached_property
    def _elements(self) -> list[Any]:
        found = lxml_html.document_fromstring(self.html)
        return [one for one in found.iter() if isinstance(one.tag, str)]

    @cached_property
    def elements(self) -> Counter[str]:
        """Each element with its attributes and what it stands in, and how often it is there; comments, too."""
        comments = Counter({"comment": self.html.count("<!--")})
        return Counter(map(_outline, self._elements)) + comments

    @cached_property
    def texts(self) -> str:
        """All that a person reads or hears of it, and all that a control holds."""
        said = [*self._elements[0].itertext()]
        said += [one.attrib[name] for one in self._elements for name in _HEARD if name in one.attrib]
        return "\n".join(said)

    @property
    def questions(self) -> list[str]:
        return list(dict.fromkeys(name for one in self._elements if (name := one.get("name", "")).startswith("q:")))

    @cached_property
    def shown(self) -> Counter[str]:
        """The payloads that are shown in full, masked, and how often. A role that the interface does not name is
        shown in the words that its code is made of, without what joins them."""
        text = masked(self.texts)
        ends = ((one.start(), one.end(), int(one[1])) for one in _MARK.finditer(text) if "zrolez" not in one[0])
        found = (text[max(0, start - LENGTHS[number]) : end] for start, end, number in ends)
        return Counter(one.replace("x", "") for one in found)

    @property
    def marks(self) -> set[str]:
        return {one[0] for one in _MARK.finditer(self.texts)}

    def active(self) -> Iterator[str]:
        """What would run or load something that is not ours: events, styles, foreign addresses, and frames."""
        for element in self._elements:
            for name, value in element.attrib.items():
                is_event = name.startswith(("on", "hx-on", "data-hx-")) or name in ("srcdoc", "style")
                if is_event or (name in _ADDRESSES and not _OURS.match(value.strip())):
                    yield f"<{element.tag} {name}={value!r}>"
            if element.tag in ("base", "object", "embed", "applet"):
                yield f"<{element.tag}>"

    def scripts(self) -> list[str]:
        """What the page runs of its own, without the numbers in it."""
        found = [one.text or "" for one in self._elements if one.tag in ("script", "style")]
        return [re.sub(r"[0-9a-f]{8,}", "…", one) for one in found]


def _outline(element: Any) -> str:
    outer = element.getparent()
    around = "" if outer is None else outer.tag
    return f"{around} > {element.tag} {' '.join(sorted(element.attrib))}"


def differences(hostile: SeenPage, harmless: SeenPage) -> Iterator[str]:
    """What a page with payloads has that the same page with harmless texts has not, and the other way."""
    for what, more in (("has", hostile.elements - harmless.elements), ("lacks", harmless.elements - hostile.elements)):
        yield from (f"{what} {times}× {outline}" for outline, times in sorted(more.items()))
    # In a letter a full stop that could make a link has a blank behind it.
    if "letter" not in hostile.name and hostile.shown != harmless.shown:
        less = harmless.shown - hostile.shown
        yield f"shows otherwise: {sorted(hostile.shown - harmless.shown)[:3]} for {sorted(less)[:3]}"
    if hostile.scripts() != harmless.scripts():
        yield "has other scripts or styles"
    yield from hostile.active()


def every_mark(kind: str) -> set[str]:
    return {mark(kind, number) for number in range(COUNT)}
