"""The agents' pages."""

from django.apps import AppConfig


class DeskConfig(AppConfig):
    name = "formation_portal.desk"
    label = "desk"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Connect the receiver that keeps the queue up to date with what is saved."""
        from . import recording  # noqa: F401
