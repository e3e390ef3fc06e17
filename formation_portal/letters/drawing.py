"""Draws a letter of one kind: its subject, its text, and the same in HTML, in the receiver's language."""

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


@dataclass(frozen=True, slots=True)
class Drawn:
    """The letter as it goes out."""

    subject: str
    text: str
    html: str


def draw(*, kind: str, language: str, context: Mapping[str, object]) -> Drawn:
    """The three of them. Raises TemplateDoesNotExist for a kind without templates."""
    with translation.override(language):
        given = {**context, "kind": kind, "language": language, "portal_url": settings.PORTAL_URL}
        subject, _, text = _rendered(f"letters/{kind}.txt", given, autoescape=False).lstrip().partition("\n")
        subject = " ".join(subject.split())[:_SUBJECT_LIMIT]
        html = _rendered(f"letters/{kind}.html", {**given, "subject": subject, "style": _style()}, autoescape=True)
    return Drawn(subject, f"{text.strip()}\n", html)


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
