"""The controls of a question: their attributes, and long lists, which a template's loop draws too slowly.

Every `q` is a Question (ui/forms/question.py).
"""

from collections.abc import Collection, Iterable, Sequence
from functools import cache
from html import escape
from typing import Any

from django import template
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.fields.iso_codes import COUNTRIES, by_country_name, country_name
from formation_portal.contract.localisation import get_language

from ..forms.controls import SHORT_LIST, Selectable, attributes, markup, option_language

register = template.Library()

_FIRST_SHOWN = 10


@register.simple_tag
def control_attributes(q: Any) -> SafeString:
    """Write the attributes of a control, with those that tie it to its label, hint and error."""
    return markup(
        attributes(
            id=q.id,
            name=q.name,
            autocomplete=q.autocomplete,
            inputmode=q.inputmode,
            spellcheck="false" if q.spellcheck in (False, "false") else "",
            aria_invalid="true" if q.error else "",
            aria_describedby=q.described_by,
        )
    )


@register.simple_tag
def part_attributes(q: Any, part: Any, is_first: bool = False) -> SafeString:
    """Write the attributes of a part's control. Only wrong parts are marked. The first part has the question's id."""
    return markup(
        attributes(
            id=q.id if is_first else part.id,
            name=part.name,
            autocomplete=part.autocomplete,
            aria_invalid="true" if part.is_wrong else "",
            aria_describedby=f"{q.id}-error" if part.is_wrong else "",
        )
    )


@register.simple_tag
def country_options(chosen: str = "") -> SafeString:
    """Draw the options of all countries. They are joined once for each language, and the chosen one is marked."""
    joined = _all_countries(get_language())
    option = f'<option value="{escape(chosen)}">'
    return markup(joined.replace(option, option[:-1] + " selected>", 1))


@register.simple_tag
def tick_boxes(
    choices: Iterable[Selectable], name: str, first_id: str = "", spec: FieldSpec | None = None
) -> SafeString:
    """Draw tick boxes. The first has the question's id, since the error summary links to it."""
    boxes = []
    for place, choice in enumerate(choices):
        boxes.append(_choice("checkbox", choice, name, "" if place else first_id, spec))
    return markup("".join(boxes))


@register.simple_tag
def radios(q: Any) -> SafeString:
    """Draw the radios of a question, and one for no answer if the answer is optional."""
    drawn = []
    for place, choice in enumerate(q.choices):
        drawn.append(_choice("radio", choice, q.name, "" if place else q.id, q.spec))
    if q.optional:
        none_checked = "" if q.raw else " checked"
        drawn.append(
            f'<label class="choice"><input type="radio" name="{escape(q.name)}" value=""{none_checked}>'
            f" <span>{escape(gettext('No answer'))}</span></label>"
        )
    return markup("".join(drawn))


@register.filter
def chosen(choices: Iterable[Selectable]) -> list[Selectable]:
    """Return the chosen choices."""
    return [choice for choice in choices if choice.chosen]


@register.filter
def shown(choices: Sequence[Selectable]) -> Sequence[Selectable]:
    """Return the tick boxes that stand open: all of a dozen, the first ten of more."""
    return choices if len(choices) <= SHORT_LIST else choices[:_FIRST_SHOWN]


@register.filter
def rest(choices: Sequence[Selectable]) -> Sequence[Selectable]:
    """Return the tick boxes behind "Show more"."""
    return () if len(choices) <= SHORT_LIST else choices[_FIRST_SHOWN:]


@register.filter
def without(choices: Iterable[Selectable], others: Collection[Selectable]) -> list[Selectable]:
    """Return the choices that are none of the others."""
    return [choice for choice in choices if choice not in others]


def _choice(kind: str, choice: Selectable, name: str, first_id: str, spec: FieldSpec | None) -> str:
    state = attributes(id=first_id)
    if choice.chosen:
        state += " checked"
    if choice.alone:
        state += " data-alone"
    box = f'<input type="{kind}" name="{escape(name)}" value="{escape(choice.value)}"{state}>'
    language = option_language(choice.label, spec)
    return f'<label class="choice">{box} <span{language}>{escape(choice.label)}</span></label>'


@cache
def _all_countries(language: str) -> str:
    in_order = by_country_name(COUNTRIES, language)
    return "".join(f'<option value="{code}">{escape(country_name(code, language))}</option>' for code in in_order)
