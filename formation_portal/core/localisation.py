"""Translates the contract's sentences into the language of the page, by Django's translations."""

from functools import lru_cache

from django.conf import settings
from django.utils import translation


class PageLanguage:
    """The language that Django has active in this thread: a page's, a letter's, or English."""

    def get_language(self) -> str:
        """Its code without a region, like de."""
        return (translation.get_language() or settings.LANGUAGE_CODE).partition("-")[0]

    def gettext(self, message: str) -> str:
        """The message in that language."""
        return _gettext_cached(message, translation.get_language())

    def ngettext(self, one: str, many: str, count: int) -> str:
        """The form that goes with the count."""
        return translation.ngettext(one, many, count)


# A page says the same few hundred sentences a thousand times, and each look-up goes through three catalogs.
@lru_cache(maxsize=4096)
def _gettext_cached(message: str, _language: str | None) -> str:
    return translation.gettext(message)
