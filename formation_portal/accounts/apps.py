"""The accounts app: who signs in, and what each may see."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "formation_portal.accounts"
    label = "accounts"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Hear of sign-ins: they begin a session, and bring the language of browser and account together. Encrypt
        second factors. Take part in the hourly round."""
        from . import languages, second_factor, sessions  # noqa: F401  # they connect their receivers
