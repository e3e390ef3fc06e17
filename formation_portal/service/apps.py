"""The embedded formation service as a Django app."""

from django.apps import AppConfig


class ServiceConfig(AppConfig):
    name = "formation_portal.service"
    verbose_name = "Formation service"

    def ready(self) -> None:
        from formation_portal.service import retention  # noqa: F401  # registers its hourly task
