"""The project itself as an app, and apps of other packages without the parts that the portal does not need."""

from functools import lru_cache

from allauth.usersessions.apps import UserSessionsConfig
from django.apps import AppConfig
from django.conf import settings
from django.contrib.staticfiles.apps import StaticFilesConfig
from django.core import checks
from django.utils import translation

from formation_portal.contract.localisation import Translator, set_translator
from formation_portal.core.operator import check_accent


class FormationPortalConfig(AppConfig):
    name = "formation_portal"

    def ready(self) -> None:
        set_translator(PageLanguage())
        # Imported here, since the apps that they belong to are not loaded before.
        from formation_portal.applications.translation import set_catalog_texts
        from formation_portal.gateway.catalog import catalog_item_in

        set_catalog_texts(catalog_item_in)
        checks.register(check_accent)
        # Registers its hourly task, which each worker process runs.
        from formation_portal.management.commands import remove_orphans

        assert remove_orphans


class PageLanguage(Translator):
    """Translate into the language that Django has active in this thread."""

    def get_language(self) -> str:
        return (translation.get_language() or settings.LANGUAGE_CODE).partition("-")[0]

    def gettext(self, message: str) -> str:
        return _gettext_cached(message, translation.get_language())

    def ngettext(self, singular: str, plural: str, count: int) -> str:
        return translation.ngettext(singular, plural, count)


# A page translates the same few hundred sentences a thousand times, and each look-up goes through three catalogs.
@lru_cache(maxsize=4096)
def _gettext_cached(message: str, _language: str | None) -> str:
    return translation.gettext(message)


class StaticFiles(StaticFilesConfig):
    """Django's app without the README's pictures, and without django-htmx's files except htmx 2 itself."""

    ignore_patterns = [*StaticFilesConfig.ignore_patterns, "readme", "ext", "htmax-*", "htmx-?.js", "htmx-4*"]


class UserSessions(UserSessionsConfig):  # type: ignore[misc]  # allauth has no types
    """allauth's app without its receivers, which would store session keys. `accounts/sessions.py` lists sessions."""

    def ready(self) -> None:
        pass
