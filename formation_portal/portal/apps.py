"""The customers' pages."""

from django.apps import AppConfig


class PortalConfig(AppConfig):
    name = "formation_portal.portal"

    def ready(self) -> None:
        """Register the hourly reminders."""
        from .applications import status_emails  # noqa: F401
