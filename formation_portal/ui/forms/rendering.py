"""Renders questions by their templates, each appearance of a question once.

A long form has hundreds of questions, most of them blank, and templates take their time. So a question is rendered once
for each way it can look in a language, with a gap where typed text stands; the text itself is never kept, only what
was chosen from the schema's own lists.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from html import escape
from typing import Any

from django.template import Context
from django.template.loader import get_template

from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.localisation import get_language

from ..formats import schema_language
from .question import Question
from .suggestions import SUGGESTIONS_GAP

# Of about a kilobyte each; lists of countries have fifteen.
_KEPT_AT_MOST = 2_000

# The field is kept with its markup, so that its id names nothing else meanwhile.
_cache: dict[Hashable, tuple[FieldSpec, str]] = {}


def render_all(questions: Iterable[Question]) -> str:
    """The questions' markup, one after the other."""
    spoken = f"{get_language()} {schema_language()}"
    return "".join(render_question(question, spoken) for question in questions)


def render_question(question: Question, spoken: str) -> str:
    """The question's markup; `spoken` names the languages of the page and of the schema."""
    if _is_rare(question):
        return _render(question)
    # What is likely is another matter in each application.
    asked, question = question, replace(question, suggestions=None)
    typed = dict(_typed_text(question))
    look = question
    if typed:
        gaps = {part: _gap(part) for part in typed}
        look = replace(question, typed={**question.raw, **gaps} if question.spec.parts else gaps[""])
    key = (spoken, *_key(look))
    if key not in _cache:
        markup = _render(look)
        if any(markup.count(_gap(part)) != 1 for part in typed):
            return _render(asked)
        if len(_cache) >= _KEPT_AT_MOST:
            _cache.clear()
        _cache[key] = (question.spec, markup)
    markup = _cache[key][1]
    for part, text in typed.items():
        markup = markup.replace(_gap(part), escape(text))
    return markup.replace(SUGGESTIONS_GAP, asked.suggested) if SUGGESTIONS_GAP in markup else markup


def _is_rare(question: Question) -> bool:
    """Whether what it looks like is hardly anybody else's; kept, it would only take the place of others."""
    said = question.error or question.doubt or question.ahead or question.note
    # What is likely is one gap in a list that opens, and changes the order of a list of tick boxes.
    is_like_no_other = question.spec.refers_to_share_class or question.is_ticked_from_many
    return bool(said or question.is_locked or is_like_no_other)


def _render(question: Question) -> str:
    template = get_template(question.template)
    context = Context({"q": question, "shares_url": question.shares_url})
    return str(template.template.render(context))  # type: ignore[attr-defined]  # what a backend's template wraps


def _typed_text(question: Question) -> Iterator[tuple[str, str]]:
    """What was typed freely, by part; the whole of a single control is part ""."""
    raw: Any = question.raw
    if isinstance(raw, Mapping):
        yield from (
            (part, text)
            for part, text in raw.items()
            if text and part in question.spec.parts and part not in question.spec.chosen_parts
        )
    elif isinstance(raw, str) and raw and not question.choices:
        yield "", raw


def _gap(part: str) -> str:
    """Stands for typed text; of characters that Unicode leaves to private use, so that nothing else looks so."""
    return f"\ue000{part}\ue001"


def _key(look: Question) -> tuple[Hashable, ...]:
    raw = look.raw
    shown = tuple(sorted(raw.items())) if isinstance(raw, Mapping) else tuple(raw) if isinstance(raw, list) else raw
    return (
        id(look.spec),
        look.name,
        shown,
        look.why,
        look.optional,
        look.is_answered,
        look.is_own,
        look.given,
        look.unanswerable,
    )
