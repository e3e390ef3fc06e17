"""The URLs of the statistics."""

from django.urls import path

from . import views

urlpatterns = [
    path("figures/", views.statistics, name="statistics"),
    path("figures/<slug:name>.csv", views.table, name="statistics_table"),
]
