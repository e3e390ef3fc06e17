"""The addresses of a party under review, below its case's reference."""

from django.urls import path

from . import views

application = [
    path("parties/<str:token>/", views.party, name="party"),
    path("parties/<str:token>/evidence/", views.evidence, name="evidence"),
    path("parties/<str:token>/numbers/", views.numbers, name="numbers"),
]
