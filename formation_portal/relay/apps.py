"""The relay app: sends saved changes to the service, and records what was sent."""

from django.apps import AppConfig


class RelayConfig(AppConfig):
    name = "formation_portal.relay"

    def ready(self) -> None:
        from . import incoming_webhooks  # noqa: F401
