"""The audit app."""

from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "formation_portal.audit"
    label = "audit"
    default_auto_field = "django.db.models.BigAutoField"
