"""What a person may ask of the portal about their data, and how long it is kept."""

from django.apps import AppConfig


class PrivacyConfig(AppConfig):
    name = "formation_portal.privacy"
    label = "privacy"

    def ready(self) -> None:
        """Take part in the hourly round: what is due is erased."""
        from . import retention  # noqa: F401
