"""The gateway as a Django app, which registers its checks of the settings."""

from django.apps import AppConfig
from django.core.checks import register


class GatewayConfig(AppConfig):
    name = "formation_portal.gateway"

    def ready(self) -> None:
        from .configuration import check_service

        register(check_service)
