"""The accounts app: who signs in, and what each may see."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "formation_portal.accounts"
    label = "accounts"
    default_auto_field = "django.db.models.BigAutoField"
