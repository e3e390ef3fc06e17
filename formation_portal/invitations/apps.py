"""The invitations app."""

from django.apps import AppConfig


class InvitationsConfig(AppConfig):
    name = "formation_portal.invitations"
    label = "invitations"
    default_auto_field = "django.db.models.BigAutoField"
