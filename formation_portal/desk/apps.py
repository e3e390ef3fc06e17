"""The agents' pages."""

from django.apps import AppConfig


class DeskConfig(AppConfig):
    name = "formation_portal.desk"
    label = "desk"
