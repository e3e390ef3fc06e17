"""The customers' pages."""

from django.apps import AppConfig


class PortalConfig(AppConfig):
    name = "formation_portal.portal"
    label = "portal"

    def ready(self) -> None:
        """Connect what writes letters: about an application that has moved, a draft that lies, a part that is done."""
        from . import part_letter, reminders, submission_letter, tidings  # noqa: F401
