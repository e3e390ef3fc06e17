"""The project itself as an app, for its management commands."""

from django.apps import AppConfig


class FormationPortalConfig(AppConfig):
    name = "formation_portal"
    label = "formation_portal"
