"""Draw the answers of a case with their queries and notes.

Written in Python, since a template's loop takes ten times as long over the hundreds of answers of a long form.
"""

from collections.abc import Iterable
from html import escape

from django import template
from django.template.defaultfilters import linebreaksbr
from django.utils.safestring import SafeString

from formation_portal.ui.documents import file_facts
from formation_portal.ui.formats import file_size
from formation_portal.ui.forms.controls import markup
from formation_portal.ui.templatetags.components import mark, tone

from ..case.entries import AnswerRow
from ..case.query_panels import QueryPanel

register = template.Library()
register.filter("file_facts", file_facts)
register.filter("file_size", file_size)


@register.simple_tag(takes_context=True)
def answer_rows(context: template.Context, rows: Iterable[AnswerRow]) -> SafeString:
    """Draw each answer with its term, its old value if it changed, a link to ask, and its queries and notes."""
    return markup("".join(_answer_row(context, row) for row in rows))


@register.simple_tag
def ask_link(panel: QueryPanel, text: str = "Ask") -> SafeString:
    """Draw the link that fetches the form to ask about a target; "" where nothing can be asked."""
    if not panel.ask_url:
        return SafeString()
    url = escape(panel.ask_url)
    place = escape(f'[id="{panel.id}"]')
    about = f'<span class="visually-hidden"> about {escape(panel.label)}</span>' if panel.label else ""
    label = "Edit query" if panel.has_draft else escape(text)
    return markup(
        f'<a class="ask-link small" href="{url}" hx-get="{url}" hx-target="{place}"'
        f' hx-swap="outerHTML">{label}{about}</a>'
    )


@register.simple_tag(takes_context=True)
def query_panel(context: template.Context, panel: QueryPanel) -> SafeString:
    """Draw the queries and notes about one target, and the form to ask (desk/case/_query_panel.html)."""
    if panel.is_silent:
        return markup(f'<div class="asked" id="{escape(panel.id)}"></div>')
    return _rendered(context, "desk/case/_query_panel.html", panel=panel)


def _answer_row(context: template.Context, row: AnswerRow) -> str:
    panel = row.panel
    changed = row.difference
    marked = f' class="has-mark {tone(row.mark)}"' if row.mark else ""
    unseen = '<span class="visually-hidden"> (changed)</span>' if changed else ""
    note = f'<small class="quiet">{escape(row.note)}</small>' if row.note else ""
    if changed:
        values = {"before": changed.before, "after": row.value, "is_name": row.is_name}
        value = f'<dd class="was-now">{_rendered(context, "desk/case/_difference_words.html", **values)}</dd>'
    elif not row.value:
        value = f'<dd class="quiet">Not provided {note}</dd>'
    else:
        style = ' class="name"' if row.is_name else ""
        text = linebreaksbr(row.value) if "\n" in row.value else escape(row.value)
        value = f"<dd{style}>{text} {note}</dd>"
    asking = f'<dd class="change">{ask_link(panel, "Ask")}</dd>' if panel.ask_url else ""
    return (
        f"<div{marked}><dt>{mark(row.mark)}{escape(row.term)}{unseen}</dt>{value}"
        f'{asking}<dd class="asked-at">{note if changed else ""}{query_panel(context, panel)}</dd></div>'
    )


def _rendered(context: template.Context, name: str, **values: object) -> SafeString:
    """Render a template within the page, with its CSRF token and its reader."""
    assert context.template is not None
    with context.push(**values):
        return context.template.engine.get_template(name).render(context)
