"""The accounts app."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "formation_portal.accounts"

    def ready(self) -> None:
        from . import languages, second_factor, sessions  # noqa: F401  # they connect their receivers
