"""Parts of pages that look the same to many readers: rendered once, and kept as text in this process."""

import contextlib
from collections.abc import Hashable
from functools import cache

from django import template
from django.conf import settings
from django.core.files.storage import storages
from django.template.base import FilterExpression, NodeList, Parser, Token, token_kwargs
from django.urls import NoReverseMatch, reverse
from django.utils.translation import get_language

register = template.Library()

# The most texts kept for one place in a template; a few kilobytes each.
_MOST_TEXTS = 100


class CachedNode(template.Node):
    """A node that renders its content once for each language and set of its named values."""

    def __init__(self, content: NodeList, values: dict[str, FilterExpression]) -> None:
        self.nodelist = content
        self._values = values
        self._texts: dict[Hashable, str] = {}

    def render(self, context: template.Context) -> str:
        values = {name: expression.resolve(context) for name, expression in self._values.items()}
        # The text has URLs of static files, which the storage decides.
        key = (get_language(), storages["staticfiles"], *values.values())
        text = self._texts.get(key)
        if text is None:
            # The content sees the named values alone, neither request nor reader: what is not in the key can't be in
            # the text, so that no reader gets a text that was rendered for another.
            own = template.Context(values)
            own.template = context.template
            text = self.nodelist.render(own)
            if len(self._texts) >= _MOST_TEXTS:
                self._texts.clear()
            self._texts[key] = text
        return text


@register.tag
def cached(parser: Parser, token: Token) -> CachedNode:
    """Parse `{% cached name=value … %}…{% endcached %}`, whose content depends on these values and the language alone.

    The values are flags, places and settings, never typed texts or names: those stand between two such parts.
    """
    name, *bits = token.split_contents()
    values = token_kwargs(bits, parser)
    if bits:
        raise template.TemplateSyntaxError(f"{name} takes names with values only")
    content = parser.parse(("endcached",))
    parser.delete_first_token()
    return CachedNode(content, values)


# The pages that menus lead to.
_IN_MENUS = (
    "portal:catalog",
    "portal:applications",
    "desk:queue",
    "account_login",
    "account_email",
    "account_change_password",
)


@register.filter
def menu_place(path: str) -> str:
    """Return the path of a menu page; for a page below it, the menu page's path and "_/", without keys; else ""."""
    places = _menu_addresses(settings.ROOT_URLCONF)
    if path in places:
        return path
    return next((f"{place}_/" for place in places if place != "/" and path.startswith(place)), "")


@cache
def _menu_addresses(_urlconf: str) -> tuple[str, ...]:
    addresses = []
    for name in _IN_MENUS:
        with contextlib.suppress(NoReverseMatch):
            addresses.append(reverse(name))
    return tuple(addresses)
