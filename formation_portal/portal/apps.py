"""The customers' pages."""

from django.apps import AppConfig


class PortalConfig(AppConfig):
    name = "formation_portal.portal"
    label = "portal"

    def ready(self) -> None:
        """Connect what writes letters: about an application that has moved, and about a draft that lies."""
        from . import reminders, submission_letter, tidings  # noqa: F401
