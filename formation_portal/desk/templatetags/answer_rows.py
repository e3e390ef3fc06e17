"""The answers of a case, and what is asked and noted at each place.

Written here: most have nothing said about them, and a template's loop takes ten times as long over the hundreds of a
long form.
"""

from collections.abc import Iterable
from html import escape

from django import template
from django.template.defaultfilters import linebreaksbr
from django.utils.safestring import SafeString

from formation_portal.ui.forms.controls import markup
from formation_portal.ui.templatetags.components import mark, tone

from ..case.entries import AnswerRow
from ..case.query_panels import QueryPanel

register = template.Library()


@register.simple_tag(takes_context=True)
def answer_rows(context: template.Context, rows: Iterable[AnswerRow]) -> SafeString:
    """Each answer with its term, its old value where it changed, the way to ask about it, and what was said of it."""
    return markup("".join(_answer_row(context, row) for row in rows))


@register.simple_tag
def ask_link(panel: QueryPanel, words: str = "Ask") -> SafeString:
    """Leads to the form of a place, or fetches it to where it stands; nothing where nothing can be asked."""
    if not panel.ask_url:
        return SafeString()
    url, place = escape(panel.ask_url), escape(f'[id="{panel.id}"]')
    about = f'<span class="visually-hidden"> about {escape(panel.label)}</span>' if panel.label else ""
    said = "Edit query" if panel.has_draft else escape(words)
    return markup(
        f'<a class="ask-link small" href="{url}" hx-get="{url}" hx-target="{place}"'
        f' hx-swap="outerHTML">{said}{about}</a>'
    )


@register.simple_tag(takes_context=True)
def query_panel(context: template.Context, panel: QueryPanel) -> SafeString:
    """What was asked and noted at one place, and the form to ask there (desk/case/_query_panel.html)."""
    if panel.is_silent:
        return markup(f'<div class="asked" id="{escape(panel.id)}"></div>')
    return _rendered(context, "desk/case/_query_panel.html", panel=panel)


def _answer_row(context: template.Context, row: AnswerRow) -> str:
    panel, changed = row.panel, row.difference
    marked = f' class="has-mark {tone(row.mark)}"' if row.mark else ""
    unseen = '<span class="visually-hidden"> (changed)</span>' if changed else ""
    note = f'<small class="quiet">{escape(row.note)}</small>' if row.note else ""
    if changed:
        words = {"before": changed.before, "after": row.value, "is_name": row.is_name}
        value = f'<dd class="was-now">{_rendered(context, "desk/case/_difference_words.html", **words)}</dd>'
    else:
        look = "" if row.value and not row.is_name else ' class="name"' if row.value else ' class="quiet"'
        text = linebreaksbr(row.value) if "\n" in row.value else escape(row.value)
        value = f"<dd{look}>{text or 'Not provided'} {note}</dd>"
    asking = f'<dd class="change">{ask_link(panel, "Ask")}</dd>' if panel.ask_url else ""
    return (
        f"<div{marked}><dt>{mark(row.mark)}{escape(row.term)}{unseen}</dt>{value}"
        f'{asking}<dd class="asked-at">{note if changed else ""}{query_panel(context, panel)}</dd></div>'
    )


def _rendered(context: template.Context, name: str, **values: object) -> SafeString:
    """A template within the page: what it posts has the page's token, and who reads it is the page's reader."""
    assert context.template is not None
    with context.push(**values):
        return context.template.engine.get_template(name).render(context)
