"""The privacy app: exports, erasures and retention of personal data."""

from django.apps import AppConfig


class PrivacyConfig(AppConfig):
    name = "formation_portal.privacy"

    def ready(self) -> None:
        from . import retention  # noqa: F401
