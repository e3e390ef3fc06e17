"""The relay app: listens to what is saved, and keeps what the service was told."""

from django.apps import AppConfig


class RelayConfig(AppConfig):
    name = "formation_portal.relay"
    label = "relay"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Connect the receivers: every saved change renews the wishes in its own transaction, and what was refused
        stops an approval. Take part in the hourly round."""
        from . import approval_guard, sync  # noqa: F401
        from .incoming_webhooks import receiver  # noqa: F401
