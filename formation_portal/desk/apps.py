"""The agents' pages."""

from django.apps import AppConfig


class DeskConfig(AppConfig):
    name = "formation_portal.desk"

    def ready(self) -> None:
        """Register the hourly task and the task of key rotation."""
        from .case import news  # noqa: F401  # declares an hourly task
        from .queue import queue_index  # noqa: F401  # declares a task of the rotation
