"""The accounts app: who signs in, and what each may see."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "formation_portal.accounts"
    label = "accounts"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Hear of sign-ins, which bring the language of browser and account together."""
        from . import languages  # noqa: F401  # connects its receiver
