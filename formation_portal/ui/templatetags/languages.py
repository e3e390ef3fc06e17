"""The language, time zone and theme of a page, and the marks of texts in another language."""

from html import escape
from typing import Any

from django import template
from django.conf import settings
from django.utils import translation
from django.utils.html import conditional_escape
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from formation_portal.accounts.languages import SYSTEM, theme_of
from formation_portal.contract.localisation import colon
from formation_portal.core.time_zones import zone_words

from ..formats import TextSource, foreign_language
from ..forms.controls import attributes, markup

register = template.Library()
register.simple_tag(colon)
register.simple_tag(zone_words)


@register.simple_tag
def page_language() -> str:
    return translation.get_language() or settings.LANGUAGE_CODE


@register.simple_tag
def page_direction() -> SafeString:
    return markup(' dir="rtl"' if translation.get_language_bidi() else "")


@register.simple_tag(takes_context=True)
def page_theme(context: dict[str, Any]) -> str:
    """Return the chosen theme, light or dark; "" if the system decides, or without a request."""
    return theme_of(context.get("request"))


@register.simple_tag
def language_buttons(form: str = "", action: str = "", page: str = "") -> SafeString:
    current = page_language()
    target = _button_target(form, action, page)
    return markup("".join(_button("language", code, name, code, target, current) for code, name in settings.LANGUAGES))


@register.simple_tag
def theme_buttons(theme: str, form: str = "", action: str = "", page: str = "") -> SafeString:
    current, target = theme or SYSTEM, _button_target(form, action, page)
    themes = {SYSTEM: gettext("System theme"), "light": gettext("Light"), "dark": gettext("Dark")}
    return markup("".join(_button("theme", code, name, "", target, current) for code, name in themes.items()))


def _button_target(form: str, action: str, page: str) -> str:
    """Write a button's attributes: to post `form` to its URL or, if given, to `action`, which then opens `page`."""
    if not action:
        return attributes(form=form)
    return attributes(form=form, formmethod="post", formaction=f"{action}?{urlencode({'page': page})}")


def _button(name: str, value: str, label: str, lang: str, target: str, current: str) -> str:
    lang = attributes(lang=lang)
    if value == current:
        return f'<li><span{lang} aria-current="true">{escape(label)}</span></li>'
    return f'<li><button class="button-plain" name="{name}" value="{value}"{lang}{target}>{escape(label)}</button></li>'


@register.filter
def schema_words(text: Any, source: TextSource | None = None) -> SafeString:
    """Mark a text of the schema, or of its part `source`, with its language if that is not the page's."""
    escaped = conditional_escape(text)
    language = foreign_language(text, source)
    if not language or not escaped:
        return escaped
    return markup(f'<span lang="{escape(language)}" dir="auto">{escaped}</span>')
