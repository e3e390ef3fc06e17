"""The customers' pages."""

from django.apps import AppConfig


class PortalConfig(AppConfig):
    name = "formation_portal.portal"
    label = "portal"
