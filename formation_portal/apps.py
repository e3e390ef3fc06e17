"""The project itself as an app, for its management commands."""

from django.apps import AppConfig
from django.contrib.staticfiles.apps import StaticFilesConfig


class FormationPortalConfig(AppConfig):
    name = "formation_portal"
    label = "formation_portal"


class StaticFiles(StaticFilesConfig):
    """Django's own, but the README's pictures are not served."""

    ignore_patterns = [*StaticFilesConfig.ignore_patterns, "readme"]
