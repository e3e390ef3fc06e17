"""The URL of the workbench, outside of the desk's URLs, which belong to cases."""

from django.urls import path

from . import views

urlpatterns = [
    path("", views.workbench, name="workbench"),
]
