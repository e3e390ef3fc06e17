"""The applications app: what customers have typed, kept by us."""

from django.apps import AppConfig


class ApplicationsConfig(AppConfig):
    name = "formation_portal.applications"

    def ready(self) -> None:
        from .services import malware_scans  # noqa: F401
