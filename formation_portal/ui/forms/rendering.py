"""The markup of questions, rendered once for each way that they can look.

A long form has hundreds of questions, most of them blank, and templates take their time. So a question is rendered once
for each way it can look in a language, with a gap where typed text stands; the text itself is never kept, only what
was chosen from the schema's own lists.
"""

from collections.abc import Hashable, Mapping
from dataclasses import replace
from functools import lru_cache
from html import escape
from itertools import count
from typing import Any, NamedTuple

from django.template import Context
from django.template.loader import get_template
from django.utils.safestring import SafeString

from formation_portal.contract.schema import FormSchema

from ..formats import schema_language
from .controls import SUGGESTIONS_GAP, markup
from .question import Question

# About a kilobyte each; a list of countries has fifteen.
_MAX_ENTRIES = 4_000


class MarkupCacheKey(NamedTuple):
    """The values that decide the markup of a question of a form in one language; `answer` has gaps for typed text."""

    form: int
    catalog_language: str
    # The keys of the section, the group and the question.
    place: tuple[str, str, str]
    control: str
    answer: Hashable
    optional: bool
    is_answered: bool
    is_incomplete: bool
    is_own: bool


_cache: dict[MarkupCacheKey, str] = {}
_form_numbers = count()


@lru_cache(maxsize=1_000)
def why_markup(why: str, _language: str) -> SafeString:
    return markup(get_template("ui/why.html").render({"why": why}))


def render(question: Question) -> str:
    template = get_template(question.template)
    context = Context({"q": question, "shares_url": question.shares_url})
    return str(template.template.render(context))  # type: ignore[attr-defined]  # what a backend's template wraps


def cached_markup(question: Question, schema: FormSchema, place: tuple[str, str, str]) -> str:
    """Return the markup of a question of a form, from the cache where the question was rendered before."""
    if not _can_be_cached(question):
        return render(question)
    texts = _typed_texts(question)
    gaps = {part: _gap(part) for part in texts}
    # The answer in a single control is part "".
    answer = {**question.raw, **gaps} if isinstance(question.raw, Mapping) else gaps.get("", question.raw)
    key = MarkupCacheKey(
        form=schema.cached(_form_number),
        catalog_language=schema_language(),
        place=place,
        control=question.name,
        answer=_hashable(answer),
        optional=question.optional,
        is_answered=question.is_answered,
        is_incomplete=question.is_incomplete,
        is_own=question.is_own,
    )
    if key not in _cache:
        rendered = render(replace(question, typed=answer, has_suggestions_gap=True))
        if any(rendered.count(_gap(part)) != 1 for part in texts):
            return render(question)
        if len(_cache) >= _MAX_ENTRIES:
            _cache.clear()
        _cache[key] = rendered
    filled = _cache[key]
    for part, text in texts.items():
        filled = filled.replace(_gap(part), escape(text))
    if SUGGESTIONS_GAP in filled:
        # Each application suggests other countries and currencies.
        filled = filled.replace(SUGGESTIONS_GAP, question.suggested)
    return filled


def _can_be_cached(question: Question) -> bool:
    """Tell whether to cache the markup: without messages, locks, ticks or choices that depend on the application."""
    # Suggestions fill one gap in a list that opens, but reorder a list of tick boxes.
    has_message = (
        question.error or question.objection or question.advice or question.doubt or question.ahead or question.note
    )
    depends_on_application = question.spec.refers_to_share_class or question.is_ticked_from_many
    return not (has_message or question.is_locked or question.has_one_name or depends_on_application)


def _typed_texts(question: Question) -> dict[str, str]:
    """Return the freely typed text by part; the text of a single control is part ""."""
    raw, spec = question.raw, question.spec
    if isinstance(raw, Mapping):
        typed_parts = spec.parts.keys() - spec.chosen_parts
        return {part: text for part, text in raw.items() if text and part in typed_parts}
    if isinstance(raw, str) and raw and not spec.choices():
        return {"": raw}
    return {}


def _gap(part: str) -> str:
    return f"\ue000{part}\ue001"


def _hashable(answer: Any) -> Hashable:
    if isinstance(answer, Mapping):
        return tuple(sorted(answer.items()))
    return tuple(answer) if isinstance(answer, list) else str(answer)


def _form_number(_schema: FormSchema) -> int:
    """Return a new number for a form in one language, unique in this process."""
    return next(_form_numbers)
