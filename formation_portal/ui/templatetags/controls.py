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

from formation_portal.contract import canonical
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.contract.fields.iso_codes import COUNTRIES, by_country_name, country_name
from formation_portal.contract.localisation import get_language

from ..forms.controls import SHORT_LIST, Option, attributes, markup, option_language

register = template.Library()

_FIRST_SHOWN = 10


@register.simple_tag
def control_attributes(q: Any) -> SafeString:
    hints = {"aria_describedby": q.described_by}
    if canonical.is_email(q.spec.canonical_field):
        hints |= {"inputmode": "email", "spellcheck": "false"}
    elif q.is_name:
        hints["spellcheck"] = "false"
    if q.error:
        hints["aria_invalid"] = "true"
    return markup(attributes(id=q.id, name=q.name, autocomplete=q.autocomplete, **hints))


@register.simple_tag
def part_attributes(q: Any, part: Any, is_first: bool = False) -> SafeString:
    """Write the attributes of a part's control. Only wrong parts are marked. The first part has the question's id."""
    marks = {}
    if part.is_wrong:
        marks = {"aria_invalid": "true", "aria_describedby": f"{q.id}-error"}
    own_id = q.id if is_first else part.id
    return markup(attributes(id=own_id, name=part.name, autocomplete=part.autocomplete, **marks))


@register.simple_tag
def country_options(chosen: str = "") -> SafeString:
    """Draw the options of all countries. They are joined once for each language, and the chosen one is marked."""
    joined = _all_countries(get_language())
    option = f'<option value="{escape(chosen)}">'
    return markup(joined.replace(option, option[:-1] + " selected>", 1))


@register.simple_tag
def tick_boxes(choices: Iterable[Option], name: str, first_id: str = "", spec: FieldSpec | None = None) -> SafeString:
    """Draw tick boxes. The first has the question's id, since the error summary links to it."""
    boxes = []
    for choice in choices:
        boxes.append(_choice("checkbox", choice, name, first_id, spec))
        first_id = ""
    return markup("".join(boxes))


@register.simple_tag
def radios(q: Any) -> SafeString:
    drawn = []
    first_id = q.id
    for choice in q.choices:
        drawn.append(_choice("radio", choice, q.name, first_id, q.spec))
        first_id = ""
    if q.optional:
        none_checked = "" if q.raw else " checked"
        drawn.append(
            f'<label class="choice"><input type="radio" name="{escape(q.name)}" value=""{none_checked}>'
            f" <span>{escape(gettext('No answer'))}</span></label>"
        )
    return markup("".join(drawn))


@register.filter
def chosen(choices: Iterable[Option]) -> list[Option]:
    return [choice for choice in choices if choice.chosen]


@register.filter
def shown(choices: Sequence[Option]) -> Sequence[Option]:
    """Return the tick boxes shown at first: all of up to a dozen, else the first ten."""
    if len(choices) <= SHORT_LIST:
        return choices
    return choices[:_FIRST_SHOWN]


@register.filter
def rest(choices: Sequence[Option]) -> Sequence[Option]:
    """Return the tick boxes behind "Show more"."""
    return choices[len(shown(choices)) :]


@register.filter
def without(choices: Iterable[Option], others: Collection[Option]) -> list[Option]:
    return [choice for choice in choices if choice not in others]


def _choice(kind: str, choice: Option, name: str, first_id: str, spec: FieldSpec | None) -> str:
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
