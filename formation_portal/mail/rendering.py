"""Renders a letter of one kind in the receiver's language: its subject, its text, and the same in HTML.

Names and titles in it were typed by people who might use them to write to strangers: each is shortened to one line
without addresses. Every kind has sample data, for previews and for the tests that look at all of them.
"""

import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast

import yaml
from django.conf import settings
from django.template import Context
from django.template.loader import get_template
from django.utils import translation
from django.utils.html import format_html
from django.utils.safestring import mark_safe

from formation_portal.core.operator import operator

from .models import Letter

_SUBJECT_LIMIT = 250
# Of a text that somebody has typed.
_TEXT_LIMIT = 80
# Pages of ours, by their names in what a letter is given.
_PATHS = frozenset({"link", "copy", "refusal"})
# Line ends, controls, and marks that turn the direction; those that join letters belong to names.
_INVISIBLE = re.compile(
    r"[^\S ]|(?![\u200c\u200d])[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
)
_ADDRESS = re.compile(r"\S*(?:://|@|www\.)\S*", re.IGNORECASE)
# A full stop before a word, as in a host's name: mail programs make a link of it.
_HOST = re.compile(r"[.\u3002](?=[^\W\d_]{2})")


def render_letter(*, kind: str, language: str, context: Mapping[str, object]) -> Letter:
    """A letter with subject, text and HTML, to nobody yet and not saved. Raises TemplateDoesNotExist for a kind without
    templates."""
    with translation.override(language):
        cleaned = {name: value if name in _PATHS else _clean_line(value) for name, value in context.items()}
        given = {
            **cleaned,
            "kind": kind,
            "language": language,
            "portal_url": settings.PORTAL_URL,
            "operator": operator,
        }
        subject, _, text = _render_template(f"mail/{kind}.txt", given, autoescape=False).lstrip().partition("\n")
        subject = " ".join(subject.split())[:_SUBJECT_LIMIT]
        own_styles = mark_safe(letter_styles())  # nosec B308, B703  # noqa: S308  # a file of ours
        style = format_html("<style>{}</style>", own_styles)
        html = _render_template(f"mail/{kind}.html", {**given, "subject": subject, "style": style}, autoescape=True)
    return Letter(kind=kind, language=language, subject=subject, text=f"{text.strip()}\n", html=html)


def _clean_line(value: object) -> object:
    """A text, or each of a list, on one line without addresses; anything else as it is."""
    if isinstance(value, list | tuple):
        return [_clean_line(one) for one in value]
    if not isinstance(value, str):
        return value
    text = _INVISIBLE.sub(" ", unicodedata.normalize("NFKC", value))
    text = " ".join(_HOST.sub(". ", _ADDRESS.sub("…", text)).split())
    return text if len(text) <= _TEXT_LIMIT else f"{text[: _TEXT_LIMIT - 1].rstrip()}…"


def letter_styles() -> str:
    """What stands in the style element of every letter; whoever shows one in a page allows this text and no other."""
    return _render_template("mail/_style.css", {"accent": operator.accent}, autoescape=False)


def _render_template(name: str, given: dict[str, object], *, autoescape: bool) -> str:
    # In a text nothing is mark-up, so an apostrophe in a name stays one.
    template = cast(Any, get_template(name)).template
    return str(template.render(Context(given, autoescape=autoescape)))


@cache
def sample_contexts() -> Mapping[str, Mapping[str, Any]]:
    """What each kind is given, in the order in which people meet the letters."""
    read: Mapping[str, Mapping[str, Any]] = yaml.safe_load((Path(__file__).parent / "samples.yaml").read_text())
    return read


def sample_letter(kind: str, *, language: str) -> Letter:
    """One kind, drawn with its sample data. Raises KeyError for a kind that there is not."""
    return render_letter(kind=kind, language=language, context=sample_contexts()[kind])
