"""How many words of a page are in another language than the page's: marked so, or English that nobody has marked.

Names of people, companies and places, what somebody has typed, codes and numbers are nobody's language.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = frozenset({"br", "col", "hr", "img", "input", "link", "meta", "source", "wbr", "path", "circle", "rect"})
_SILENT = frozenset({"script", "style", "svg", "template"})
_WORD = re.compile(r"[^\W\d_]{2,}")
# A reference is drawn at random, and may have a small word of English in it.
_REFERENCE = re.compile(r"\bFP-[0-9A-Z-]+")
# Small words of English that none of the other languages has.
_ENGLISH = frozenset(
    re.findall(
        r"\w+",
        "the and of to is are you your yours for with from by this that these we our it its be or not if who will "
        "have has which what can must they their there than",
    )
)
_OTHERS = frozenset({"or", "has", "we", "is", "be"})


@dataclass(frozen=True, slots=True)
class Text:
    """One text of a page, in the language that it is marked with."""

    text: str
    language: str

    @property
    def words(self) -> list[str]:
        return words_of(self.text)


@dataclass
class Measured:
    """The texts of one page."""

    language: str
    texts: list[Text] = field(default_factory=list)

    @property
    def foreign(self) -> list[Text]:
        """Those in another language."""
        return [one for one in self.texts if one.language != self.language or is_english(one.text)]

    @property
    def share(self) -> float:
        """The part of the words that is in another language."""
        total = sum(len(one.words) for one in self.texts)
        return sum(len(one.words) for one in self.foreign) / total if total else 0.0


def words_of(text: str) -> list[str]:
    """Return the words of a text without references of applications."""
    return _WORD.findall(_REFERENCE.sub("", text))


def is_english(text: str) -> bool:
    """Whether a text is English by its small words: two of them, or one in four words."""
    words = [word.lower() for word in words_of(text)]
    known = [word for word in words if word in _ENGLISH]
    sure = [word for word in known if word not in _OTHERS]
    return bool(sure) and (len(known) >= 2 or len(known) * 4 >= len(words))


class _Page(HTMLParser):
    def __init__(self, html: str, language: str) -> None:
        super().__init__(convert_charrefs=True)
        self.measured = Measured(language)
        # The language within each open element; None where nothing is read, or a name stands.
        self._inside: list[tuple[str, str | None]] = [("", language)]
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        here = self._inside[-1][1]
        if "lang" in values and here is not None:
            here = values["lang"].partition("-")[0]
        is_name = "name" in values.get("class", "").split() and "lang" not in values
        if tag in _SILENT or is_name or values.get("name") == "language":
            here = None
        for name in ("aria-label", "title", "alt", "placeholder"):
            self._take(values.get(name, ""), here)
        if tag not in _VOID:
            self._inside.append((tag, here))

    def handle_endtag(self, tag: str) -> None:
        while len(self._inside) > 1 and self._inside.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        self._take(data, self._inside[-1][1])

    def _take(self, text: str, language: str | None) -> None:
        if language is not None and _WORD.search(text):
            self.measured.texts.append(Text(" ".join(text.split()), language))


def measure(html: str, language: str) -> Measured:
    """The words of a page, and which of them are in another language."""
    return _Page(html, language).measured


def described(found: list[Text]) -> Iterator[str]:
    """Each foreign text once, with its mark."""
    yield from dict.fromkeys(f"[{one.language}] {one.text}" for one in found)
