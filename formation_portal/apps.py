"""The project itself as an app, for its management commands."""

from django.apps import AppConfig
from django.contrib.staticfiles.apps import StaticFilesConfig

from formation_portal.contract.localisation import set_translator
from formation_portal.core.localisation import PageLanguage


class FormationPortalConfig(AppConfig):
    name = "formation_portal"
    label = "formation_portal"

    def ready(self) -> None:
        """Give the contract's sentences the language of each page."""
        set_translator(PageLanguage())


class StaticFiles(StaticFilesConfig):
    """Django's own, but the README's pictures are not served."""

    ignore_patterns = [*StaticFilesConfig.ignore_patterns, "readme"]
