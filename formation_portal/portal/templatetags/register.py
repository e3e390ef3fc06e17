"""Small parts of the register that templates need as one word: marks, seals, lists of options, the current place.

They return markup that is safe by construction: whatever comes from outside passes `format_html` or `escape`.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Protocol

from django import template
from django.urls import NoReverseMatch, reverse
from django.utils.html import escape, format_html, format_html_join
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


@register.simple_tag
def mark(state: str) -> SafeString:
    """The glyph of a state on the spine; nothing for an empty state. Stands last in its entry's head."""
    return _glyph(state, ' class="mark"')


@register.simple_tag
def glyph(state: str) -> SafeString:
    """The same glyph in the run of a list, such as the needs."""
    return _glyph(state, ' width="18" height="18"')


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
    """The mark of one question, under an id of its own, so that an answer can swap it and leave the control alone."""
    return format_html(
        '<span class="mark {}" id="{}-mark"{}>{}</span>',
        TONES.get(q.mark, ""),
        q.id,
        mark_safe(' hx-swap-oob="true"') if swapped else "",  # noqa: S308  # a constant
        _glyph(q.mark, ""),
    )


@register.simple_tag
def control_attributes(q: Any) -> SafeString:
    """Id, name and what ties a control to its label, hint and error."""
    return _attributes(
        id=q.id,
        name=q.name,
        autocomplete=q.autocomplete,
        inputmode=q.inputmode,
        spellcheck="false" if q.spellcheck in (False, "false") else "",
        aria_invalid="true" if q.error else "",
        aria_describedby=q.described_by,
    )


@register.simple_tag
def part_attributes(q: Any, part: Any, is_first: bool = False) -> SafeString:
    """The same for one part of an answer. The first part has the question's bare id: the error summary links to it."""
    return _attributes(
        id=q.id if is_first else part.id,
        name=part.name,
        autocomplete=part.autocomplete,
        aria_invalid="true" if q.error else "",
        aria_describedby=f"{q.id}-error" if q.error else "",
    )


@register.simple_tag
def country_options(chosen: str = "") -> SafeString:
    """The options of a list of all countries, joined once a language; only the chosen one is marked each time."""
    joined = _all_countries(get_language() or "en")
    wanted = f'<option value="{escape(chosen)}">'
    # A code is two letters, so the wanted text can only be a whole option tag.
    return mark_safe(joined.replace(wanted, wanted[:-1] + " selected>", 1))  # noqa: S308  # made from CLDR's names


@register.simple_tag
def options(choices: Iterable[Chosen]) -> SafeString:
    """The options of a select. Written here, since a template's loop is ten times slower on long lists."""
    return format_html_join(
        "",
        '<option value="{}"{}>{}</option>',
        ((one.value, mark_safe(" selected") if one.chosen else "", one.label) for one in choices),  # noqa: S308
    )


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


@register.simple_tag
def seal(name: str, kind: str = "person") -> SafeString:
    """Initials as a seal: persons round, companies square, foundations an arch. Decoration beside the name."""
    return format_html('<span class="seal{}" aria-hidden="true">{}</span>', _SEALS.get(kind, ""), initials(name))


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
    return format_html("<li><a{}>{}</a></li>", _attributes(href=url, aria_current=current), label)


def _glyph(state: str, attributes: str) -> SafeString:
    shape = GLYPHS.get(state)
    if shape is None:
        return SafeString()
    svg = f'<svg{attributes} viewBox="0 0 20 20" aria-hidden="true">{shape}</svg>'
    return mark_safe(svg)  # noqa: S308  # made of the constants above


def _attributes(**values: str) -> SafeString:
    given = ((name.replace("_", "-"), value) for name, value in values.items() if value)
    return format_html_join("", ' {}="{}"', given)


@cache
def _all_countries(language: str) -> str:
    pairs = countries_by_name(language)
    return str(format_html_join("", '<option value="{}">{}</option>', pairs))
