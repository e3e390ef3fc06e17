"""The address of the workbench. It stands beside the desk's own, which belong to cases."""

from django.urls import path

from . import views

urlpatterns = [
    path("", views.workbench, name="workbench"),
]
