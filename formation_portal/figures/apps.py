"""The totals of the desk's figures."""

from django.apps import AppConfig


class FiguresConfig(AppConfig):
    name = "formation_portal.figures"
    label = "figures"
    default_auto_field = "django.db.models.BigAutoField"
