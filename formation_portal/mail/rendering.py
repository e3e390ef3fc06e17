"""Renders a letter of one kind in the receiver's language: its subject, its text, and the same in HTML.

What people have typed stands only in letters to addresses that their holders have confirmed (`KINDS_WITH_NAMES`), and
there as `typed_text` lets it. Every kind has sample data, for previews and for the tests that look at all of them.
"""

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
from .typed_text import text_in_letter

_SUBJECT_LIMIT = 250
# Pages of ours, by their names in what a letter is given.
_PATHS = frozenset({"link", "copy", "refusal"})
# Letters whose receivers have confirmed their addresses; whoever writes one looks at that first. Every other kind goes
# to an address that somebody may have typed for a stranger, and is given nothing but `_IMPERSONAL`.
KINDS_WITH_NAMES = frozenset(
    {
        "password_changed",
        "address_change",
        "second_factor",
        "submission",
        "return",
        "decision",
        "proposal_refused",
        "decision_stopped",
        "case_taken_over",
        "reminder",
        "part_done",
        "draft_deletion",
        "document_removed",
    }
)
# No customer has typed any of it: the words of a product are the catalog's.
_IMPERSONAL = _PATHS | {"until", "code", "minutes", "is_known", "product", "jurisdiction", "reference"}


def render_letter(*, kind: str, language: str, context: Mapping[str, object]) -> Letter:
    """A letter with subject, text and HTML, to nobody yet and not saved. Raises TemplateDoesNotExist for a kind without
    templates, and ValueError where names would go to an address that nobody has confirmed."""
    if kind not in KINDS_WITH_NAMES and (personal := context.keys() - _IMPERSONAL):
        raise ValueError(f"A letter of kind {kind} can't hold {', '.join(sorted(personal))}")
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
    """A text, or each of a list, as a letter may hold it; anything else as it is."""
    if isinstance(value, list | tuple):
        return [one for one in map(_clean_line, value) if one != ""]
    return text_in_letter(value) if isinstance(value, str) else value


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
