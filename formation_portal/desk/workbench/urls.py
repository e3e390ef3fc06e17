"""The URL of the workbench, apart from the desk's URLs, where any word may be the reference of a case."""

from django.urls import path

from . import views

urlpatterns = [
    path("", views.workbench, name="workbench"),
]
