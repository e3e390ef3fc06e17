"""What templates need to say in which language and theme they are, and which words are somebody else's."""

from html import escape
from typing import Any

from django import template
from django.conf import settings
from django.utils import translation
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from formation_portal.accounts.themes import theme_of

from ..formats import words_language
from ..forms.controls import markup

register = template.Library()


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
def languages_offered() -> list[tuple[str, str]]:
    """Every language of the portal: its code, and its own name."""
    return list(settings.LANGUAGES)


@register.simple_tag
def themes_offered() -> list[tuple[str, str]]:
    """Every theme, and what it is called; that of the system first."""
    return [("system", gettext("System theme")), ("light", gettext("Light")), ("dark", gettext("Dark"))]


@register.filter
def schema_words(text: Any, is_ours: Any = False) -> SafeString:
    """Words of the schema or the catalog: as they are, marked with their language where the page has another.

    `is_ours` says that they are the portal's own this time, in the page's language.
    """
    shown = conditional_escape(text)
    language = "" if is_ours else words_language(text)
    if not language or not shown:
        return shown
    return markup(f'<span lang="{escape(language)}" dir="auto">{shown}</span>')
