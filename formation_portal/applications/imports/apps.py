"""The app of uploaded sheets. Its label stays `spreadsheet`, as in its tables' names."""

from django.apps import AppConfig


class ImportsConfig(AppConfig):
    name = "formation_portal.applications.imports"
    label = "spreadsheet"
