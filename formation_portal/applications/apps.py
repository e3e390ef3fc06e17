"""The applications app, which stores the answers that customers type."""

from django.apps import AppConfig


class ApplicationsConfig(AppConfig):
    name = "formation_portal.applications"

    def ready(self) -> None:
        from .services import malware_scans  # noqa: F401
