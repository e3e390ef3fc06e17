"""Draws a letter of one kind: its subject, its text, and the same in HTML, in the receiver's language.

Names and titles in it are what people have typed, perhaps to write to a stranger through us: each is one line, bounded,
and holds no address.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from django.conf import settings
from django.template import Context
from django.template.loader import get_template
from django.utils import translation
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

_SUBJECT_LIMIT = 250
# Of a text that somebody has typed.
_TEXT_LIMIT = 80
# Pages of ours, by their names in what a letter is given.
_PATHS = frozenset({"link", "copy", "refusal"})
# Line ends, controls, and marks that turn the direction; those that join letters belong to names.
_UNSEEN = re.compile(
    r"[^\S ]|(?![\u200c\u200d])[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
)
_ADDRESS = re.compile(r"\S*(?:://|@|www\.)\S*", re.IGNORECASE)
# A full stop before a word, as in a host's name: mail programs make a link of it.
_HOST = re.compile(r"[.\u3002](?=[^\W\d_]{2})")


@dataclass(frozen=True, slots=True)
class Drawn:
    """The letter as it goes out."""

    subject: str
    text: str
    html: str


def draw(*, kind: str, language: str, context: Mapping[str, object]) -> Drawn:
    """The three of them. Raises TemplateDoesNotExist for a kind without templates."""
    with translation.override(language):
        typed = {name: value if name in _PATHS else _one_line(value) for name, value in context.items()}
        given = {**typed, "kind": kind, "language": language, "portal_url": settings.PORTAL_URL}
        subject, _, text = _rendered(f"letters/{kind}.txt", given, autoescape=False).lstrip().partition("\n")
        subject = " ".join(subject.split())[:_SUBJECT_LIMIT]
        html = _rendered(f"letters/{kind}.html", {**given, "subject": subject, "style": _style()}, autoescape=True)
    return Drawn(subject, f"{text.strip()}\n", html)


def _one_line(value: object) -> object:
    """A text, or each of a list, on one line without addresses; anything else as it is."""
    if isinstance(value, list | tuple):
        return [_one_line(one) for one in value]
    if not isinstance(value, str):
        return value
    text = _UNSEEN.sub(" ", unicodedata.normalize("NFKC", value))
    text = " ".join(_HOST.sub(". ", _ADDRESS.sub("…", text)).split())
    return text if len(text) <= _TEXT_LIMIT else f"{text[: _TEXT_LIMIT - 1].rstrip()}…"


@cache
def styles() -> str:
    """What stands in the style element of every letter; whoever shows one in a page allows this text and no other."""
    return _rendered("letters/_style.css", {}, autoescape=False)


def _style() -> SafeString:
    return format_html("<style>{}</style>", mark_safe(styles()))  # noqa: S308  # a file of ours


def _rendered(name: str, given: dict[str, object], *, autoescape: bool) -> str:
    # In a text nothing is mark-up, so an apostrophe in a name stays one.
    template = cast(Any, get_template(name)).template
    return str(template.render(Context(given, autoescape=autoescape)))
