"""Small parts of the register that templates need as one word: marks, seals, lists of options, the current place.

They return markup that is safe by construction: whatever comes from outside passes `escape`. Of the standard library,
since Django's own takes four times as long, and a long form calls it a thousand times.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import Any, Protocol

from django import template
from django.forms import BaseForm
from django.forms.boundfield import BoundField
from django.urls import NoReverseMatch, reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from formation_portal.contract.world import countries_by_name, is_country

register = template.Library()

_RING = '<circle cx="10" cy="10" r="6" stroke="currentColor" stroke-width="1.5"{}/>'
_DISC = '<circle cx="10" cy="10" r="9" fill="currentColor"/>'

# Shape tells the state, colour only underlines it; words beside the mark say the same.
GLYPHS: Mapping[str, str] = {
    "met": '<path d="M0 2h20v16H0z"/>'
    '<path d="m4 10.5 4 4 8-9.5" fill="none" stroke="currentColor" stroke-width="1.75"/>',
    "open": _RING.format(""),
    "half": _RING.format("") + '<path fill="currentColor" d="M10 4a6 6 0 0 1 0 12z"/>',
    "later": _RING.format(' stroke-dasharray="2.2 2.5"'),
    "heed": _DISC + '<path d="M8.5 5.5 6 8l2.5 2.5M6 8h4.5a2.8 2.8 0 0 1 0 5.6H8" fill="none"'
    ' stroke="var(--paper)" stroke-width="1.6"/>',
    "stop": _DISC + '<path d="M10 5v6M10 13v2" stroke="var(--paper)" stroke-width="2"/>',
    "changed": '<path d="m10 3.5 6.5 6.5-6.5 6.5L3.5 10z" stroke="currentColor" stroke-width="1.5"/>',
}

# What colours the entry beside a mark; a met or a later one stays quiet, so that open work stands out.
TONES: Mapping[str, str] = {
    "open": "is-open",
    "half": "is-open",
    "changed": "is-open",
    "heed": "is-heed",
    "stop": "is-stop",
}

_LEVELS: Mapping[str, str] = {"success": "is-good", "warning": "is-heed", "error": "is-stop"}

# Never "failed" while it is not known.
_DELIVERY: Mapping[str, tuple[str, str]] = {
    "saved": ("Saved", ""),
    "sending": ("Sending", ""),
    "waiting": ("Waiting to try again", "is-heed"),
    "checking": ("Checking whether it arrived", "is-heed"),
    "yours": ("Needs your change", "is-stop"),
    "ours": ("With our team", "is-heed"),
    "received": ("Received", ""),
}

# A disclosure for two more would hide more than it saves.
_ALL_SHOWN = 12
_FIRST_SHOWN = 10

_SEALS: Mapping[str, str] = {"person": " seal-person", "foundation": " seal-foundation"}


class Chosen(Protocol):
    """What `options` draws."""

    value: str
    label: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class FormProblem:
    """A line of the error summary: the control it leads to, and the words that stand at it."""

    id: str
    text: str


@register.simple_tag
def mark(state: str) -> SafeString:
    """The glyph of a state on the spine; nothing for an empty state."""
    return _markup(_glyph(state, ' class="mark"'))


@register.simple_tag
def glyph(state: str) -> SafeString:
    """The same glyph in the run of a list, such as the needs."""
    return _markup(_glyph(state, ' width="18" height="18"'))


@register.filter
def tone(state: str) -> str:
    """The class that colours an entry with this mark: is-open, is-heed, is-stop or none."""
    return TONES.get(state, "")


@register.filter
def message_tone(level: str) -> str:
    """The class for a level of Django's messages."""
    return _LEVELS.get(level, "is-open")


@register.filter
def delivery_words(state: str) -> str:
    """What a customer reads about how far a saved answer has come; an unknown state is being checked."""
    return _DELIVERY.get(state, _DELIVERY["checking"])[0]


@register.filter
def delivery_tone(state: str) -> str:
    """The class that goes with those words."""
    return _DELIVERY.get(state, _DELIVERY["checking"])[1]


@register.filter
def paired(columns: Iterable[Any], cells: Iterable[Any]) -> Iterable[tuple[Any, Any]]:
    """Each column of a table with its cell in one row; a row that is too short leaves its last columns out."""
    return zip(columns, cells, strict=False)


@register.simple_tag
def question_mark(q: Any, swapped: bool = False) -> SafeString:
    """The mark of one question, under an id of its own, so that an answer can swap it and leave the control alone.

    Where an answer cannot be read, the lit spine speaks and the mark is silent.
    """
    state = "" if q.error else q.mark
    attributes = _attributes(id=f"{q.id}-mark", hx_swap_oob="true" if swapped else "")
    return _markup(f'<span class="mark {TONES.get(state, "")}"{attributes}>{_glyph(state, "")}</span>')


@register.simple_tag
def control_attributes(q: Any) -> SafeString:
    """Id, name and what ties a control to its label, hint and error."""
    return _markup(
        _attributes(
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
    """The same for one part of an answer. The first part has the question's bare id: the error summary links to it."""
    return _markup(
        _attributes(
            id=q.id if is_first else part.id,
            name=part.name,
            autocomplete=part.autocomplete,
            aria_invalid="true" if q.error else "",
            aria_describedby=f"{q.id}-error" if q.error else "",
        )
    )


@register.simple_tag
def country_options(chosen: str = "") -> SafeString:
    """The options of a list of all countries, joined once a language; only the chosen one is marked each time."""
    joined = _all_countries(get_language() or "en")
    wanted = f'<option value="{escape(chosen)}">'
    return _markup(joined.replace(wanted, wanted[:-1] + " selected>", 1))


@register.simple_tag
def options(choices: Iterable[Chosen]) -> SafeString:
    """The options of a select. Written here, since a template's loop takes ten times as long over long lists."""
    return _markup(
        "".join(
            f'<option value="{escape(one.value)}"{" selected" if one.chosen else ""}>{escape(one.label)}</option>'
            for one in choices
        )
    )


@register.simple_tag
def ticks(choices: Iterable[Chosen], name: str, first_id: str = "") -> SafeString:
    """Tick boxes; the first keeps the question's bare id, since the error summary links to it."""
    return _markup("".join(_choice("checkbox", one, name, "" if at else first_id) for at, one in enumerate(choices)))


@register.simple_tag
def radios(q: Any) -> SafeString:
    """The radios of a question, and the way back to no answer where the answer is optional."""
    drawn = [_choice("radio", one, q.name, "" if at else q.id) for at, one in enumerate(q.choices)]
    if q.optional:
        none_checked = "" if q.raw else " checked"
        drawn.append(
            f'<label class="choice"><input type="radio" name="{escape(q.name)}" value=""{none_checked}>'
            " <span>No answer</span></label>"
        )
    return _markup("".join(drawn))


@register.filter
def chosen(choices: Iterable[Chosen]) -> list[Chosen]:
    """Those that are chosen."""
    return [one for one in choices if one.chosen]


@register.filter
def not_chosen(choices: Iterable[Chosen]) -> list[Chosen]:
    """Those that may still be chosen."""
    return [one for one in choices if not one.chosen]


@register.filter
def shown(choices: Sequence[Chosen]) -> Sequence[Chosen]:
    """What stands open of a list of tick boxes: all of a dozen, the first ten of more."""
    return choices if len(choices) <= _ALL_SHOWN else choices[:_FIRST_SHOWN]


@register.filter
def rest(choices: Sequence[Chosen]) -> Sequence[Chosen]:
    """What stands behind "Show more"."""
    return () if len(choices) <= _ALL_SHOWN else choices[_FIRST_SHOWN:]


@register.filter
def are_countries(choices: Iterable[Chosen]) -> bool:
    """Whether everything that can be chosen is a country, so that the list can be called so."""
    return all(is_country(one.value) for one in choices)


@register.filter
def any_chosen(choices: Iterable[Chosen]) -> bool:
    """Whether something in the list is chosen: a disclosure that hides it stands open."""
    return any(one.chosen for one in choices)


@register.filter
def control(field: BoundField) -> SafeString:
    """The control of a field of a Django form, such as those of the accounts, in the register's look."""
    css = "" if field.widget_type in ("checkbox", "radioselect", "checkboxselectmultiple") else "input w-20"
    return field.as_widget(attrs={"class": css, "placeholder": False})


@register.filter
def form_problems(form: BaseForm) -> list[FormProblem]:
    """What the error summary lists for a Django form: its own errors lead to its first control."""
    visible = form.visible_fields()
    first_id = str(visible[0].id_for_label) if visible else "main"
    own = [FormProblem(first_id, str(text)) for text in form.non_field_errors()]
    return own + [FormProblem(str(field.id_for_label), str(text)) for field in visible for text in field.errors]


@register.simple_tag
def seal(name: str, kind: str = "person") -> SafeString:
    """Initials as a seal: persons round, companies square, foundations an arch. Decoration beside the name."""
    return _markup(f'<span class="seal{_SEALS.get(kind, "")}" aria-hidden="true">{escape(initials(name))}</span>')


@register.filter
def initials(name: str) -> str:
    """The first letters of the first and the last word; one letter for one word, a middle dot for none."""
    words = [word for word in str(name).split() if word[0].isalnum()]
    if not words:
        return "·"
    letters = words[0][0] + (words[-1][0] if len(words) > 1 else "")
    return letters.upper()


@register.simple_tag(takes_context=True)
def nav_link(context: template.Context, view_name: str, label: str) -> SafeString:
    """One place of the main navigation; nothing where this site has no such page.

    `aria-current` is "page" on the page itself and "true" below it.
    """
    try:
        url = reverse(view_name)
    except NoReverseMatch:
        return SafeString()
    path = getattr(context.get("request"), "path", "")
    current = "page" if path == url else "true" if url != "/" and path.startswith(url) else ""
    return _markup(f"<li><a{_attributes(href=url, aria_current=current)}>{escape(label)}</a></li>")


def _glyph(state: str, attributes: str) -> str:
    shape = GLYPHS.get(state, "")
    return shape and f'<svg{attributes} viewBox="0 0 20 20" aria-hidden="true">{shape}</svg>'


def _choice(kind: str, one: Chosen, name: str, first_id: str) -> str:
    state = (f' id="{escape(first_id)}"' if first_id else "") + (" checked" if one.chosen else "")
    box = f'<input type="{kind}" name="{escape(name)}" value="{escape(one.value)}"{state}>'
    return f'<label class="choice">{box} <span>{escape(one.label)}</span></label>'


def _attributes(**values: str) -> str:
    """Attributes that have a value, each after a space; an underscore in a name stands for a hyphen."""
    return "".join(f' {name.replace("_", "-")}="{escape(value)}"' for name, value in values.items() if value)


@cache
def _all_countries(language: str) -> str:
    pairs = countries_by_name(language)
    return "".join(f'<option value="{escape(code)}">{escape(name)}</option>' for code, name in pairs)


def _markup(safe: str) -> SafeString:
    """The one place where text is declared to be markup: everything that came from outside was escaped on the way."""
    return mark_safe(safe)  # noqa: S308  # see above
