"""The relay app: listens to saved changes, and keeps what was sent to the service."""

from django.apps import AppConfig


class RelayConfig(AppConfig):
    name = "formation_portal.relay"
    label = "relay"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Connect the receivers: every saved change syncs the deliveries in its own transaction, refusals stop a
        submission and an approval, and old events are deleted every hour."""
        from . import approval_guard, sync  # noqa: F401
        from .incoming_webhooks import receiver  # noqa: F401
