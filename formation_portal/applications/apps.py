"""The applications app: what customers have typed, kept by us."""

from django.apps import AppConfig


class ApplicationsConfig(AppConfig):
    name = "formation_portal.applications"
    label = "applications"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from .services import malware_scans  # noqa: F401
