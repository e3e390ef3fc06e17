"""What templates need to say in which language and theme they are, and which words are somebody else's."""

from html import escape
from typing import Any

from django import template
from django.conf import settings
from django.utils import translation
from django.utils.html import conditional_escape
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from formation_portal.accounts.themes import SYSTEM, theme_of
from formation_portal.contract.localisation import colon

from ..formats import TextSource, foreign_language
from ..forms.controls import attributes, markup

register = template.Library()
register.simple_tag(colon)


@register.simple_tag
def page_language() -> str:
    """The page's language."""
    return translation.get_language() or settings.LANGUAGE_CODE


@register.simple_tag
def page_direction() -> SafeString:
    """The page's direction as an attribute, where it isn't the usual one."""
    return markup(' dir="rtl"' if translation.get_language_bidi() else "")


@register.simple_tag(takes_context=True)
def page_theme(context: dict[str, Any]) -> str:
    """The theme that was chosen: light, dark, or nothing, where the system says; also without a request."""
    return theme_of(context.get("request"))


@register.simple_tag
def language_buttons(form: str = "", action: str = "", page: str = "") -> SafeString:
    """Every language of the portal by its own name: a button each, but for the page's."""
    current = page_language()
    target = _button_target(form, action, page)
    return markup("".join(_button("language", code, name, code, target, current) for code, name in settings.LANGUAGES))


@register.simple_tag
def theme_buttons(theme: str, form: str = "", action: str = "", page: str = "") -> SafeString:
    """Every theme, that of the system first: a button each, but for the page's, `theme`."""
    current, target = theme or SYSTEM, _button_target(form, action, page)
    themes = {SYSTEM: gettext("System theme"), "light": gettext("Light"), "dark": gettext("Dark")}
    return markup("".join(_button("theme", code, name, "", target, current) for code, name in themes.items()))


def _button_target(form: str, action: str, page: str) -> str:
    """The attributes that say where a button posts; `page` is opened then."""
    if not action:
        return attributes(form=form)
    return attributes(form=form, formmethod="post", formaction=f"{action}?{urlencode({'page': page})}")


def _button(name: str, value: str, words: str, lang: str, target: str, current: str) -> str:
    lang = attributes(lang=lang)
    if value == current:
        return f'<li><span{lang} aria-current="true">{escape(words)}</span></li>'
    return f'<li><button class="button-plain" name="{name}" value="{value}"{lang}{target}>{escape(words)}</button></li>'


@register.filter
def schema_words(text: Any, source: TextSource | None = None) -> SafeString:
    """Mark a text of the schema or the catalog with its language if that is not the page's.

    `source` is the form, the part of it or the catalog item that has the text; without it the text is in the language
    of the catalog.
    """
    shown = conditional_escape(text)
    language = foreign_language(text, source)
    if not language or not shown:
        return shown
    return markup(f'<span lang="{escape(language)}" dir="auto">{shown}</span>')
