"""Small parts of pages that templates need as one word: marks, seals, options, how far a delivery has come."""

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
from formation_portal.core.static_files import icon as static_icon
from formation_portal.core.static_files import page_scripts as script_addresses
from formation_portal.relay.delivery_status import STAGE_WORDS, DeliveryStage

from .. import formats
from ..formats import TextSource
from ..forms.controls import Problem, Selectable, attributes, markup, option_language
from ..forms.form_data import new_page_version, page_id
from ..roles import role_words
from .languages import schema_words

register = template.Library()
register.filter("day", formats.day)
register.filter("time_or_day", formats.time_or_day)
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
    "heed": _DISC + '<path d="M8.5 5.5 6 8l2.5 2.5M6 8h4.5a2.8 2.8 0 0 1 0 5.6H8" fill="none"'
    ' stroke="var(--paper)" stroke-width="1.6"/>',
    "stop": _DISC + '<path d="M10 5v6M10 13v2" stroke="var(--paper)" stroke-width="2"/>',
    "cross": '<circle cx="10" cy="10" r="8.25" fill="none" stroke="currentColor" stroke-width="1.75"/>'
    '<path d="m7 7 6 6M13 7l-6 6" stroke="currentColor" stroke-width="1.75"/>',
    "diamond": '<path d="m10 1.75 8.25 8.25L10 18.25 1.75 10z" fill="none" stroke="currentColor" stroke-width="1.75"/>'
    '<path d="M10 5.75v5M10 12.5v1.75" stroke="currentColor" stroke-width="1.75"/>',
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
# How far a delivery has come, where its line has a colour.
_DELIVERY_TONES: Mapping[str, str] = {
    DeliveryStage.WAITING: "is-heed",
    DeliveryStage.CHECKING: "is-heed",
    DeliveryStage.YOURS: "is-stop",
    DeliveryStage.PAYMENT: "is-heed",
    DeliveryStage.OURS: "is-heed",
}

_SEALS: Mapping[str, str] = {"person": " seal-person", "foundation": " seal-foundation"}


@register.simple_tag
def mark(state: str) -> SafeString:
    """The glyph of a state on the spine; nothing for an empty state."""
    return markup(_glyph(state, ' class="mark"'))


@register.simple_tag
def glyph(state: str) -> SafeString:
    """The same glyph in the run of a list, such as the needs."""
    return markup(_glyph(state, ' width="18" height="18"'))


@register.simple_tag
def need_items(needs: Iterable[Any]) -> SafeString:
    """The lines of what is needed, each with `text`, and with `url` and `id` where it has them.

    Written here, since a template's loop takes ten times as long over the hundreds of a long form.
    """
    glyphs = {False: _glyph("open", ' width="18" height="18"'), True: _glyph("cross", ' width="18" height="18"')}
    lines = []
    for need in needs:
        text, url, own_id = escape(need.text), getattr(need, "url", ""), getattr(need, "id", "")
        line = f'<a href="{escape(url)}">{text}</a>' if url else f"<span>{text}</span>"
        is_correction = getattr(need, "is_correction", False)
        tone_class = " is-stop" if is_correction else ""
        lines.append(f'<li class="need{tone_class}"{attributes(id=own_id)}>{glyphs[is_correction]}{line}</li>')
    return markup("".join(lines))


@register.filter
def corrections(needs: Iterable[Any]) -> list[Any]:
    """Return the lines of a list of needs that correct something entered."""
    return [need for need in needs if need.is_correction]


@register.filter
def additions(needs: Iterable[Any]) -> list[Any]:
    """Return the lines of a list of needs that add something missing."""
    return [need for need in needs if not need.is_correction]


@register.simple_tag
def task_row(task: Any, source: TextSource | None = None, is_ours: Any = False) -> SafeString:
    """Draw a row of an overview (ui/task.html). `source` has the title, unless it is the portal's own text.

    An overview has a dozen rows, and a template takes as long over each as a query.
    """
    own_id, title = str(task.id), task.title
    parts = {"status": task.status, "note": task.note, "why": task.why and f"{task.why}."}
    ids = {part: attributes(id=own_id and f"{own_id}-{part}") for part in parts}
    words = conditional_escape(title) if is_ours else schema_words(title, source)
    name = f'<span class="name">{conditional_escape(title)}</span>' if task.is_name else words
    described = " ".join(f"{own_id}-{part}" for part, said in parts.items() if own_id and (said or part == "status"))
    link = f'<a class="task-name"{attributes(href=task.url, aria_describedby=described)}>{name}</a>'
    copies = render_to_string("ui/copies.html", {"reference": task.copies, "of": title}) if task.copies else ""
    return markup(
        f'<li class="task {tone(task.state)}"{attributes(id=own_id)}>{mark(task.state)}'
        f"{link if task.url else f'<div>{words}</div>'}"
        + (f'<p class="task-note"{ids["note"]}>{conditional_escape(parts["note"])}</p>' if task.note else "")
        + (f'<p class="task-note small"{ids["why"]}>{escape(parts["why"])}</p>' if task.why else "")
        + f'<p class="status"{ids["status"]}>{conditional_escape(task.status)}</p>'
        + (f'<p class="task-more small">{copies}</p>' if copies else "")
        + "</li>"
    )


@register.simple_tag
def party_row(item: Any, is_dense: Any = False) -> SafeString:
    """Draw a row of a list of parties (ui/party.html), written here for the same reason."""
    party = item.party
    name, url = escape(party.label), escape(item.url)
    hidden = f'<span class="visually-hidden"> {name}</span>'
    lines = [f'<p class="party-facts">{conditional_escape(item.facts)}</p>' if item.facts else ""]
    for words in (item.progress.text, item.invitation):
        if words:
            lines.append(f'<p class="status">{conditional_escape(words)}</p>')
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
    links = "".join(f'<a href="{escape(to)}">{escape(words)}{hidden}</a>' for to, words in actions if to)
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
    """Whose portal it is: name, logo, accent and help. Also on pages that are drawn without a request."""
    return the_operator


@register.simple_tag
def first_script() -> SafeString:
    """What runs before anything is drawn. It gets the page's nonce because it is this, to the letter."""
    return markup(FIRST_SCRIPT)


@register.simple_tag
def icon() -> str:
    """The portal's icon, as an address that holds it."""
    return static_icon()


@register.simple_tag
def page_scripts() -> SafeString:
    """The scripts of every page, for which nothing waits."""
    return markup("".join(f'<script src="{escape(address)}" defer></script>' for address in script_addresses()))


@register.simple_tag
def upload_limit() -> int:
    """How many bytes a file may have."""
    return int(settings.UPLOAD_LIMIT)


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
    """What a customer reads about how far a saved answer has come."""
    return gettext(STAGE_WORDS[DeliveryStage(state)])


@register.filter
def delivery_tone(state: str) -> str:
    """The class that goes with those words."""
    return _DELIVERY_TONES.get(state, "")


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
    own = attributes(id=f"{q.id}-mark", hx_swap_oob="true" if swapped else "")
    return markup(f'<span class="mark {TONES.get(state, "")}"{own}>{_glyph(state, "")}</span>')


@register.simple_tag(takes_context=True)
def page_version(context: Mapping[str, Any], draft: Draft, swapped: Any = "") -> str:
    """What a page was drawn from; an answer that is swapped into a page goes on under that page's id."""
    return new_page_version(draft, page=page_id(context["request"]) if swapped else "")


@register.simple_tag
def options(choices: Iterable[Selectable], spec: FieldSpec | None = None) -> SafeString:
    """Draw the options of a select. A value that equals the label is left out. `spec` is the field that has them.

    The loop of a template takes ten times as long over long lists.
    """
    lines = []
    for choice in choices:
        language = option_language(choice.label, spec)
        selected = " selected" if choice.chosen else ""
        lines.append(f"<option{_option_value(choice)}{language}{selected}>{escape(choice.label)}</option>")
    return markup("".join(lines))


def _option_value(one: Selectable) -> str:
    # A browser posts the words of an option without a value, with one blank where several stand.
    is_said = one.value and one.value == one.label == " ".join(one.value.split())
    return "" if is_said else f' value="{escape(one.value)}"'


@register.filter
def control(field: BoundField) -> SafeString:
    """The control of a field of a Django form, such as those of the accounts, in the register's look."""
    if field.widget_type in ("checkbox", "radioselect", "checkboxselectmultiple"):
        css = ""
    elif field.widget_type in ("textarea", "file"):
        css = "input"
    else:
        css = "input w-20"
    return field.as_widget(attrs={"class": css, "placeholder": False})


@register.filter
def form_problems(form: BaseForm) -> list[Problem]:
    """What the error summary lists for a Django form: its own errors lead to its first control."""
    visible = form.visible_fields()
    first_id = str(visible[0].id_for_label) if visible else "main"
    own = [Problem(first_id, str(text)) for text in form.non_field_errors()]
    return own + [Problem(str(field.id_for_label), str(text)) for field in visible for text in field.errors]


@register.simple_tag
def seal(name: str, kind: str = "person") -> SafeString:
    """Initials as a seal: persons round, companies square, foundations an arch. Decoration beside the name.

    They are the first letters of the first and the last word; one letter for one word, a middle dot for none.
    """
    words = [word for word in str(name).split() if word[0].isalnum()]
    initials = words[0][0] + (words[-1][0] if len(words) > 1 else "") if words else "·"
    return markup(f'<span class="seal{_SEALS.get(kind, "")}" aria-hidden="true">{escape(initials.upper())}</span>')


@register.simple_tag
def nav_link(view_name: str, label: str, path: str) -> SafeString:
    """One place of the main navigation; nothing where this site has no such page.

    `aria-current` is "page" on the page itself and "true" below it, as `path` says.
    """
    try:
        url = reverse(view_name)
    except NoReverseMatch:
        return SafeString()
    current = "page" if path == url else "true" if url != "/" and path.startswith(url) else ""
    return markup(f"<li><a{attributes(href=url, aria_current=current)}>{escape(label)}</a></li>")


def _glyph(state: str, attributes: str) -> str:
    shape = GLYPHS.get(state, "")
    return shape and f'<svg{attributes} viewBox="0 0 20 20" aria-hidden="true">{shape}</svg>'
