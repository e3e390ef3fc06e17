"""The app of uploaded sheets. It keeps the label of its tables, `spreadsheet`."""

from django.apps import AppConfig


class ImportsConfig(AppConfig):
    name = "formation_portal.applications.imports"
    label = "spreadsheet"
