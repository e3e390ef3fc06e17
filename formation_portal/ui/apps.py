"""What portal and desk draw with."""

from django.apps import AppConfig


class UiConfig(AppConfig):
    name = "formation_portal.ui"
    label = "ui"
