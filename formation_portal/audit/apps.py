"""The audit app: the chain, its anchor, and the command that verifies both."""

from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "formation_portal.audit"
    label = "audit"
    default_auto_field = "django.db.models.BigAutoField"
