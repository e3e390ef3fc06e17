"""The parts of pages that portal and desk share."""

from django.apps import AppConfig


class UiConfig(AppConfig):
    name = "formation_portal.ui"
    label = "ui"
