"""Render an e-mail in the receiver's language, with times in the operator's zone.

Only e-mails to confirmed addresses (`KINDS_WITH_NAMES`) hold typed text, limited by `typed_text`.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast

import yaml
from django.conf import settings
from django.template import Context
from django.template.loader import get_template
from django.utils import timezone, translation
from django.utils.html import format_html
from django.utils.safestring import mark_safe

from formation_portal.core.operator import operator

from .models import Email
from .typed_text import text_in_email

_SUBJECT_LIMIT = 250
# The names of a context's URL paths.
_PATHS = frozenset({"link", "copy", "refusal"})
# E-mails to confirmed addresses: the code that queues these e-mails has checked that. Other kinds may go to a stranger,
# so their contexts hold nothing but `_IMPERSONAL`.
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
# No customer types any of these: product names come from the catalog.
_IMPERSONAL = _PATHS | {"until", "code", "minutes", "is_known", "product", "jurisdiction", "reference"}


def render_email(*, kind: str, language: str, context: Mapping[str, object]) -> Email:
    """Render an e-mail. Raises ValueError if names would go to an unconfirmed address."""
    if kind not in KINDS_WITH_NAMES and (personal := context.keys() - _IMPERSONAL):
        raise ValueError(f"An e-mail of kind {kind} can't hold {', '.join(sorted(personal))}")
    with translation.override(language), timezone.override(timezone.get_default_timezone()):
        values = {name: value if name in _PATHS else _clean(value) for name, value in context.items()}
        values |= {"kind": kind, "language": language, "portal_url": settings.PORTAL_URL, "operator": operator}
        subject, _, text = _render_template(f"mail/{kind}.txt", values, autoescape=False).lstrip().partition("\n")
        subject = " ".join(subject.split())[:_SUBJECT_LIMIT]
        styles = mark_safe(email_styles())  # nosec B308, B703  # noqa: S308  # a file of ours
        values |= {"subject": subject, "style": format_html("<style>{}</style>", styles)}
        html = _render_template(f"mail/{kind}.html", values, autoescape=True)
    return Email(kind=kind, language=language, subject=subject, text=f"{text.strip()}\n", html=html)


def _clean(value: object) -> object:
    if isinstance(value, list | tuple):
        return [item for item in map(_clean, value) if item != ""]
    return text_in_email(value) if isinstance(value, str) else value


def email_styles() -> str:
    """Return every e-mail's style sheet. The policies of pages that show an e-mail allow exactly this text."""
    return _render_template("mail/_style.css", {"accent": operator.accent}, autoescape=False)


def _render_template(name: str, context: dict[str, object], *, autoescape: bool) -> str:
    # Plain text has no mark-up, so an apostrophe in a name stays as it is.
    template = cast(Any, get_template(name)).template
    return str(template.render(Context(context, autoescape=autoescape)))


@cache
def sample_contexts() -> Mapping[str, Mapping[str, Any]]:
    contexts: Mapping[str, Mapping[str, Any]] = yaml.safe_load((Path(__file__).parent / "samples.yaml").read_text())
    return contexts


def sample_email(kind: str, *, language: str) -> Email:
    return render_email(kind=kind, language=language, context=sample_contexts()[kind])
