"""The agents' pages."""

from django.apps import AppConfig


class DeskConfig(AppConfig):
    name = "formation_portal.desk"
    label = "desk"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Keep the queue up to date with what is saved, and take part in the hourly round."""
        from .case import news  # noqa: F401  # they connect their receivers
        from .queue import queue_index  # noqa: F401  # they connect their receivers
