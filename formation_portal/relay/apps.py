"""The relay app: listens to saved changes, and keeps what was sent to the service."""

from django.apps import AppConfig


class RelayConfig(AppConfig):
    name = "formation_portal.relay"

    def ready(self) -> None:
        from . import incoming_webhooks  # noqa: F401
