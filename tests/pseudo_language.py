"""A language that nobody speaks: each message of ours comes between marks, so that what has none shows."""

from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from typing import Any

from django.conf import settings
from django.test import override_settings
from django.utils.translation import trans_real

# Unicode and Django know it, and the portal doesn't speak it: whatever is remembered by language is its own.
CODE = "it"
_OPEN, _CLOSE = "\u27e6", "\u27e7"


class _Marking:
    """Django's translations of the language, with marks around each."""

    def __init__(self, plain: Any) -> None:
        self._plain = plain

    def __getattr__(self, name: str) -> Any:
        return getattr(self._plain, name)

    def gettext(self, message: str) -> str:
        return f"{_OPEN}{self._plain.gettext(message)}{_CLOSE}" if message else message

    def ngettext(self, one: str, many: str, count: int) -> str:
        return f"{_OPEN}{self._plain.ngettext(one, many, count)}{_CLOSE}"


@contextmanager
def pseudo_language() -> Iterator[None]:
    """While it is open, the portal offers the language."""
    with override_settings(LANGUAGES=[*settings.LANGUAGES, (CODE, "Pseudo")]):
        before = trans_real._translations.get(CODE)
        trans_real._translations[CODE] = _Marking(trans_real.translation(CODE))
        try:
            yield
        finally:
            trans_real._translations.pop(CODE)
            if before:
                trans_real._translations[CODE] = before


class Unmarked(HTMLParser):
    """The texts of a page that no mark and no other language encloses, and those of attributes that are read out."""

    _SAID = ("aria-label", "title", "alt", "placeholder", "data-label")
    _SILENT = ("script", "style", "svg", "template")
    _VOID = frozenset({"br", "col", "hr", "img", "input", "link", "meta", "source", "wbr", "path", "circle"})

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[str] = []
        self._depth = 0
        self._inside: list[tuple[str, bool]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        for name in self._SAID:
            self._take(values.get(name, ""))
        if tag not in self._VOID:
            is_theirs = values.get("lang", CODE) != CODE or tag in self._SILENT
            self._inside.append((tag, is_theirs))

    def handle_endtag(self, tag: str) -> None:
        while self._inside and self._inside.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if not any(is_theirs for _, is_theirs in self._inside):
            self._take(data)

    def _take(self, text: str) -> None:
        """Keep what stands outside of every mark; a mark may hold elements, and so reach over several texts."""
        outside = []
        for letter in text:
            if letter == _OPEN:
                self._depth += 1
            elif letter == _CLOSE:
                self._depth -= 1
            elif not self._depth:
                outside.append(letter)
        if (kept := "".join(outside).strip()) and any(map(str.isalpha, kept)):
            self.texts.append(kept)
