"""The URLs of decisions, below a case's reference."""

from django.urls import path

from . import views

application = [
    path("ruling/", views.decision, name="decision"),
    path("ruling/confirmation/", views.confirmation, name="decision_confirmation"),
    path("ruling/refusal/", views.refusal, name="decision_refusal"),
    path("ruling/retraction/", views.retraction, name="decision_withdrawal"),
    path("ruling/reversal/", views.reversal, name="decision_undo"),
]
