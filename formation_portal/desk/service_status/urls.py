"""The URLs of a status that the formation service reported, below a case's reference."""

from django.urls import path

from . import views

application = [
    path("service-status/", views.service_status, name="service_status"),
    path("service-status/dismissal/", views.dismissal, name="service_status_dismissal"),
]
