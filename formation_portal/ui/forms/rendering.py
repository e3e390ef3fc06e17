"""The markup of questions, rendered once for each way that they can look.

A long form has hundreds of questions, most of them blank, and templates take their time. So a question is rendered once
for each way it can look in a language, with a gap where typed text stands; the text itself is never kept, only what
was chosen from the schema's own lists.
"""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from html import escape
from typing import Any, NamedTuple

from django.template import Context
from django.template.loader import get_template
from django.utils.safestring import SafeString

from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.localisation import get_language
from formation_portal.contract.schema import FormSchema

from ..formats import schema_language
from .controls import SUGGESTIONS_GAP, Suggestions, markup, suggested_options
from .question import Question, is_ticked_from_many, raw_of


def spoken_languages() -> str:
    """The languages of the page and of the schema, by which markup is kept."""
    return f"{get_language()} {schema_language()}"


@lru_cache(maxsize=1_000)
def why_markup(why: str, _language: str) -> SafeString:
    """Why something is asked, in the schema's words."""
    return markup(get_template("ui/why.html").render({"why": why}))


# Of about a kilobyte each; lists of countries have fifteen.
_KEPT_AT_MOST = 4_000

# The field is kept with its markup, so that its id names nothing else meanwhile.
_cache: dict[Hashable, tuple[FieldSpec, str]] = {}


def render_question(question: Question, spoken: str) -> str:
    """The question's markup; `spoken` names the languages of the page and of the schema."""
    # What looks like hardly anybody else's would only take the place of others if it were kept. What is likely is one
    # gap in a list that opens, and changes the order of a list of tick boxes.
    said = question.error or question.objection or question.advice or question.doubt or question.ahead or question.note
    if said or question.is_locked or question.spec.refers_to_share_class or question.is_ticked_from_many:
        return render_anew(question)
    # What is likely is another matter in each application.
    asked, question = question, replace(question, suggestions=None)
    typed = dict(_typed_text(question))
    look = question
    if typed:
        gaps = {part: _gap(part) for part in typed}
        look = replace(question, typed={**question.raw, **gaps} if question.spec.parts else gaps[""])
    key = (spoken, *_key(look))
    if key not in _cache:
        markup = render_anew(look)
        if any(markup.count(_gap(part)) != 1 for part in typed):
            return render_anew(asked)
        if len(_cache) >= _KEPT_AT_MOST:
            _cache.clear()
        _cache[key] = (question.spec, markup)
    markup = _cache[key][1]
    for part, text in typed.items():
        markup = markup.replace(_gap(part), escape(text))
    return markup.replace(SUGGESTIONS_GAP, asked.suggested) if SUGGESTIONS_GAP in markup else markup


class PlainLook(NamedTuple):
    """What tells how a question looks of which nothing is said: no error, note, warning or lock."""

    spec: FieldSpec
    name: str
    raw: Any
    optional: bool
    is_answered: bool
    is_own: bool


class _Traits(NamedTuple):
    spec: FieldSpec
    is_plain: bool
    is_chosen: bool


class SpecTraits:
    """What of a schema's fields decides how they are drawn, found out once."""

    def __init__(self, schema: FormSchema) -> None:
        self._schema = schema
        # The field is kept with its traits, so that its id names nothing else meanwhile.
        self._known: dict[int, _Traits] = {}

    def of(self, spec: FieldSpec) -> _Traits:
        """Whether it looks like its neighbours' in other applications, and whether it is chosen from a list."""
        found = self._known.get(id(spec))
        if found is None:
            is_odd = spec.provided_by_agent or spec.refers_to_share_class or is_ticked_from_many(spec)
            is_plain = not is_odd and self._schema.why_unanswerable(spec) is None
            found = self._known[id(spec)] = _Traits(spec, is_plain, is_plain and bool(spec.choices()))
        return found


def markup_from_memory(look: PlainLook, traits: _Traits, spoken: str, suggestions: Suggestions) -> str | None:
    """The markup of a question that was rendered before, without making the question; None where it was not."""
    if not traits.is_plain:
        return None
    spec, typed = look.spec, {}
    shown: Hashable = ""
    if look.raw is None:
        shown = () if spec.many or spec.parts else ""
    elif spec.ambiguity_note(look.raw):
        return None
    else:
        raw = spec.localised(look.raw)
        if spec.many:
            shown = tuple(raw) if isinstance(raw, list) else ()
        elif spec.parts:
            raw = raw if isinstance(raw, dict) else {}
            typed = dict(_typed_parts(spec, raw))
            shown = tuple(sorted({**raw, **{part: _gap(part) for part in typed}}.items()))
        elif isinstance(raw, str):
            typed = {"": raw} if raw and not traits.is_chosen else {}
            shown = _gap("") if typed else raw
    key = (spoken, id(spec), look.name, shown, "", look.optional, look.is_answered, look.is_own, (), "")
    kept = _cache.get(key)
    if kept is None:
        return None
    text = kept[1]
    for part, words in typed.items():
        text = text.replace(_gap(part), escape(words))
    if SUGGESTIONS_GAP not in text:
        return text
    return text.replace(SUGGESTIONS_GAP, suggested_options(spec, raw_of(spec, look.raw), _likely(spec, suggestions)))


def _likely(spec: FieldSpec, suggestions: Suggestions) -> tuple[str, ...]:
    return suggestions().get(spec.listing, ())


def render_anew(question: Question) -> str:
    """By its template; nothing of it is kept."""
    template = get_template(question.template)
    context = Context({"q": question, "shares_url": question.shares_url})
    return str(template.template.render(context))  # type: ignore[attr-defined]  # what a backend's template wraps


def _typed_text(question: Question) -> Iterator[tuple[str, str]]:
    """What was typed freely, by part; the whole of a single control is part ""."""
    raw: Any = question.raw
    if isinstance(raw, Mapping):
        yield from _typed_parts(question.spec, raw)
    elif isinstance(raw, str) and raw and not question.choices:
        yield "", raw


def _typed_parts(spec: FieldSpec, raw: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield from (
        (part, text) for part, text in raw.items() if text and part in spec.parts and part not in spec.chosen_parts
    )


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
