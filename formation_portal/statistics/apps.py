"""The statistics app."""

from django.apps import AppConfig


class StatisticsConfig(AppConfig):
    name = "formation_portal.statistics"
    label = "figures"
