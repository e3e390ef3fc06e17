"""Small parts of pages: marks, seals, rows, options, the stages of deliveries."""

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

from django import template
from django.conf import settings
from django.forms import BaseForm
from django.forms.boundfield import BoundField
from django.template.loader import render_to_string
from django.urls import NoReverseMatch, reverse
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from formation_portal.applications.draft import Draft
from formation_portal.contract.fields.base import FieldSpec
from formation_portal.core.operator import Operator
from formation_portal.core.operator import operator as the_operator
from formation_portal.core.pages.content_policy import FIRST_SCRIPT
from formation_portal.core.static_files import icon
from formation_portal.core.static_files import page_scripts as script_addresses
from formation_portal.relay.delivery_status import DeliveryStage

from .. import formats
from ..formats import TextSource
from ..forms.controls import Option, Problem, attributes, markup, option_language
from ..forms.form_data import new_page_version, page_id
from ..roles import role_words
from .languages import schema_words

register = template.Library()
register.simple_tag(icon)
register.filter("day", formats.day)
register.filter("day_and_time", formats.day_and_time)
register.filter("moment", formats.zoned_date_and_time)
register.filter("role_words", role_words)

_RING = '<circle cx="10" cy="10" r="6" stroke="currentColor" stroke-width="1.5"{}/>'
_DISC = '<circle cx="10" cy="10" r="9" fill="currentColor"/>'

# Shape tells the state, colour only underlines it; words beside the mark say the same.
GLYPHS: Mapping[str, str] = {
    "met": '<path d="M0 2h20v16H0z"/>'
    '<path d="m4 10.5 4 4 8-9.5" fill="none" stroke="currentColor" stroke-width="1.75"/>',
    "open": _RING.format(""),
    "half": _RING.format("") + '<path fill="currentColor" d="M10 4a6 6 0 0 1 0 12z"/>',
    "later": _RING.format(' stroke-dasharray="2.2 2.5"'),
    "warning": _DISC + '<path d="M8.5 5.5 6 8l2.5 2.5M6 8h4.5a2.8 2.8 0 0 1 0 5.6H8" fill="none"'
    ' stroke="var(--paper)" stroke-width="1.6"/>',
    "error": _DISC + '<path d="M10 5v6M10 13v2" stroke="var(--paper)" stroke-width="2"/>',
    "cross": '<circle cx="10" cy="10" r="8.25" fill="none" stroke="currentColor" stroke-width="1.75"/>'
    '<path d="m7 7 6 6M13 7l-6 6" stroke="currentColor" stroke-width="1.75"/>',
    "diamond": '<path d="m10 1.75 8.25 8.25L10 18.25 1.75 10z" fill="none" stroke="currentColor" stroke-width="1.75"/>'
    '<path d="M10 5.75v5M10 12.5v1.75" stroke="currentColor" stroke-width="1.75"/>',
    "changed": '<path d="m10 3.5 6.5 6.5-6.5 6.5L3.5 10z" stroke="currentColor" stroke-width="1.5"/>',
}

# The class that colours the entry beside a mark; "met" and "later" have none, so that open work stands out.
TONES: Mapping[str, str] = {
    "open": "is-open",
    "half": "is-open",
    "changed": "is-open",
    "warning": "is-warning",
    "error": "is-error",
}

_LEVELS: Mapping[str, str] = {"success": "is-good", "warning": "is-warning", "error": "is-error"}

# The class of a delivery's line by its stage; no stage is called failed.
_DELIVERY_TONES: Mapping[str, str] = {
    DeliveryStage.WAITING: "is-warning",
    DeliveryStage.CHECKING: "is-warning",
    DeliveryStage.YOURS: "is-error",
    DeliveryStage.PAYMENT: "is-warning",
    DeliveryStage.OURS: "is-warning",
}

_SMALL = ' width="18" height="18"'
_SEALS: Mapping[str, str] = {"person": " seal-person", "foundation": " seal-foundation"}


@register.simple_tag
def mark(state: str) -> SafeString:
    """Draw the glyph of a state beside an entry; nothing for an empty state."""
    return markup(_glyph(state, ' class="mark"'))


@register.simple_tag
def glyph(state: str) -> SafeString:
    return markup(_glyph(state, _SMALL))


@register.simple_tag
def need_items(needs: Iterable[Any]) -> SafeString:
    """Draw the needs of a form, which may be hundreds, as list items: ten times as fast as a template's loop."""
    lines = []
    for need in needs:
        line = f"<span>{escape(need.text)}</span>"
        if url := getattr(need, "url", ""):
            line = f'<a href="{escape(url)}">{escape(need.text)}</a>'
        state = "open"
        tone_class = ""
        if getattr(need, "is_correction", False):
            state = "cross"
            tone_class = " is-error"
        elif getattr(need, "is_advice", False):
            state = "diamond"
            tone_class = " is-warning"
        own_id = attributes(id=getattr(need, "id", ""))
        lines.append(f'<li class="need{tone_class}"{own_id}>{_glyph(state, _SMALL)}{line}</li>')
    return markup("".join(lines))


@register.filter
def corrections(needs: Iterable[Any]) -> list[Any]:
    return [need for need in needs if need.is_correction]


@register.filter
def additions(needs: Iterable[Any]) -> list[Any]:
    return [need for need in needs if not need.is_correction and not need.is_advice]


@register.filter
def unmet(needs: Iterable[Any]) -> list[Any]:
    """Return the corrections and what is missing, without advice."""
    return [need for need in needs if not need.is_advice]


@register.filter
def advised(needs: Iterable[Any]) -> list[Any]:
    return [need for need in needs if need.is_advice]


@register.simple_tag
def task_row(task: Any, source: TextSource | None = None, is_ours: Any = False) -> SafeString:
    """Draw a row of an overview (ui/task.html). The title is from `source`, or the portal's own."""
    own_id, title = str(task.id), task.title
    parts = {"status": task.status, "note": task.note, "why": task.why and f"{task.why}."}
    ids = {part: attributes(id=own_id and f"{own_id}-{part}") for part in parts}
    label = schema_words(title, source)
    if is_ours:
        label = conditional_escape(title)
    lines = [f'<li class="task {tone(task.state)}"{attributes(id=own_id)}>{mark(task.state)}']
    if task.url:
        described = [part for part, text in parts.items() if own_id and (text or part == "status")]
        link = attributes(href=task.url, aria_describedby=" ".join(f"{own_id}-{part}" for part in described))
        if task.is_name:
            label = markup(f'<span class="name">{conditional_escape(title)}</span>')
        lines.append(f'<a class="task-name"{link}>{label}</a>')
    else:
        lines.append(f"<div>{label}</div>")
    if task.note:
        lines.append(f'<p class="task-note"{ids["note"]}>{conditional_escape(task.note)}</p>')
    if task.why:
        lines.append(f'<p class="task-note small"{ids["why"]}>{escape(parts["why"])}</p>')
    lines.append(f'<p class="status"{ids["status"]}>{conditional_escape(task.status)}</p>')
    if task.copies:
        copies = render_to_string("ui/copies.html", {"reference": task.copies, "of": title})
        lines.append(f'<p class="task-more small">{copies}</p>')
    return markup(f"{''.join(lines)}</li>")


@register.simple_tag
def party_row(item: Any, is_dense: Any = False) -> SafeString:
    """Draw a row of a list of parties (ui/party.html). A page has up to fifty rows."""
    party = item.party
    name, url = escape(party.label), escape(item.url)
    hidden = f'<span class="visually-hidden"> {name}</span>'
    lines = []
    for css, text in (("party-facts", item.facts), ("status", item.progress.text), ("status", item.invitation)):
        if text:
            lines.append(f'<p class="{css}">{conditional_escape(text)}</p>')
    if item.delivery:
        context = {"state": item.delivery.state, "why": item.delivery.why, "at": "", "id": ""}
        lines.append(render_to_string("ui/delivery.html", context))
    if item.duplicate_url:
        question = gettext('Is <span class="name">%(name)s</span> a duplicate?') % {"name": name}
        lines.append(f'<p class="small"><a class="alone" href="{escape(item.duplicate_url)}">{question}</a></p>')
    actions = (
        (item.url, gettext("Edit") if item.can_edit else gettext("View")),
        (item.invitation_url, gettext("Invitation") if item.invitation else gettext("Invite")),
        (item.removal_url, gettext("Remove")),
    )
    links = "".join(f'<a href="{escape(to)}">{escape(label)}{hidden}</a>' for to, label in actions if to)
    head, foot = f'<div><h3 class="party-name">{name}</h3>', f'<p class="actions">{links}</p>'
    if is_dense:
        head, foot = f'<div class="row"><p class="party-name"><a class="alone" href="{url}">{name}</a></p>', ""
    state = item.progress.mark
    own_id = party.token and f"party-{party.token}"
    return markup(
        f'<li class="party {tone(state)}"{attributes(id=own_id)}>{mark(state)}'
        f"{seal(party.label, party.kind)}{head}{''.join(lines)}</div>{foot}</li>"
    )


@register.simple_tag
def operator() -> Operator:
    """Return the operator with name, logo, accent and help, also on pages that are drawn without a request."""
    return the_operator


@register.simple_tag
def first_script() -> SafeString:
    """Write the script that runs before anything is drawn. The page's nonce is given to this text alone."""
    return markup(FIRST_SCRIPT)


@register.simple_tag
def page_scripts() -> SafeString:
    return markup("".join(f'<script src="{escape(address)}" defer></script>' for address in script_addresses()))


@register.simple_tag
def upload_limit() -> int:
    return int(settings.UPLOAD_LIMIT)


@register.filter
def tone(state: str) -> str:
    return TONES.get(state, "")


@register.filter
def message_tone(level: str) -> str:
    return _LEVELS.get(level, "is-open")


@register.filter
def delivery_words(state: str) -> str:
    return gettext(DeliveryStage(state).label)


@register.filter
def delivery_tone(state: str) -> str:
    return _DELIVERY_TONES.get(state, "")


@register.filter
def paired(columns: Iterable[Any], cells: Iterable[Any]) -> Iterable[tuple[Any, Any]]:
    """Pair the columns of a table with the cells of a row; a short row leaves its last columns out."""
    return zip(columns, cells, strict=False)


@register.simple_tag
def question_mark(q: Any, swapped: bool = False) -> SafeString:
    """Draw a question's mark with an id, so that it can be swapped alone; without a glyph for an unreadable answer."""
    state = "" if q.error else q.mark
    own = attributes(id=f"{q.id}-mark", hx_swap_oob="true" if swapped else "")
    return markup(f'<span class="mark {TONES.get(state, "")}"{own}>{_glyph(state, "")}</span>')


@register.simple_tag(takes_context=True)
def page_version(context: Mapping[str, Any], draft: Draft, swapped: Any = "") -> str:
    """Write the version that a page is drawn from; a response swapped into a page keeps that page's id."""
    return new_page_version(draft, page=page_id(context["request"]) if swapped else "")


@register.simple_tag
def options(choices: Iterable[Option], spec: FieldSpec | None = None) -> SafeString:
    """Draw the options of a select, ten times as fast as a template's loop. `spec` is the field that has them."""
    lines = []
    for choice in choices:
        language = option_language(choice.label, spec)
        selected = " selected" if choice.chosen else ""
        value = f' value="{escape(choice.value)}"'
        # A browser posts the label of an option without a value, with single blanks.
        if choice.value and choice.value == choice.label == " ".join(choice.value.split()):
            value = ""
        lines.append(f"<option{value}{language}{selected}>{escape(choice.label)}</option>")
    return markup("".join(lines))


_INPUT_CLASSES = {"checkbox": "", "radioselect": "", "checkboxselectmultiple": "", "textarea": "input", "file": "input"}


@register.filter
def control(field: BoundField) -> SafeString:
    css = _INPUT_CLASSES.get(field.widget_type, "input w-20")
    return field.as_widget(attrs={"class": css, "placeholder": False})


@register.filter
def form_problems(form: BaseForm) -> list[Problem]:
    """Return the error summary of a Django form. Errors of the whole form link to its first control."""
    visible = form.visible_fields()
    first_id = str(visible[0].id_for_label) if visible else "main"
    own = [Problem(first_id, str(text)) for text in form.non_field_errors()]
    return own + [Problem(str(field.id_for_label), str(text)) for field in visible for text in field.errors]


@register.simple_tag
def seal(name: str, kind: str = "person") -> SafeString:
    """Draw the initials of a name's first and last word as a seal, in the shape of the kind."""
    letters = [part[0] for part in str(name).split() if part[0].isalnum()]
    initials = "".join(letters[:1] + letters[1:][-1:]) or "·"
    return markup(f'<span class="seal{_SEALS.get(kind, "")}" aria-hidden="true">{escape(initials.upper())}</span>')


@register.simple_tag
def nav_link(view_name: str, label: str, path: str) -> SafeString:
    """Draw a link of the main navigation; nothing if this site has no such page."""
    try:
        url = reverse(view_name)
    except NoReverseMatch:
        return SafeString()
    current = ""
    if path == url:
        current = "page"
    elif url != "/" and path.startswith(url):
        current = "true"
    return markup(f"<li><a{attributes(href=url, aria_current=current)}>{escape(label)}</a></li>")


def _glyph(state: str, attributes: str) -> str:
    shape = GLYPHS.get(state, "")
    return shape and f'<svg{attributes} viewBox="0 0 20 20" aria-hidden="true">{shape}</svg>'
