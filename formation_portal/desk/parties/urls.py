"""The URLs of a party under review, below its case's reference."""

from django.urls import path

from . import views

application = [
    path("parties/<str:token>/", views.party, name="party"),
    path("parties/<str:token>/evidence/", views.evidence, name="evidence"),
    path("parties/<str:token>/numbers/", views.numbers, name="numbers"),
    path("parties/<str:token>/erasure/", views.erasure, name="party_erasure"),
    path("parties/<str:token>/screening/", views.screening, name="screening"),
    path("parties/<str:token>/screening/<int:number>/file/", views.screening_file, name="screening_file"),
    path("parties/<str:token>/screening/<int:number>/removal/", views.screening_removal, name="screening_removal"),
]
