"""The letters app: the outbox, and who carries it away."""

from django.apps import AppConfig


class LettersConfig(AppConfig):
    name = "formation_portal.letters"
    label = "letters"
    default_auto_field = "django.db.models.BigAutoField"
