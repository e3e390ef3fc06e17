"""The URLs of the audit log."""

from django.urls import path

from . import views

urlpatterns = [
    path("audit/", views.audit, name="audit"),
    path("audit/entries.csv", views.table, name="audit_table"),
    path("audit/<int:number>/", views.entry, name="audit_entry"),
]
