"""The URLs of people and companies, below an application's."""

from django.urls import path

from .. import removals
from . import spreadsheet, views

application = [
    path("people/", views.people, name="people"),
    path("people/new/", views.party_new, name="party_new"),
    path("people/known/", views.party_known, name="party_known"),
    path("people/spreadsheet/", spreadsheet.spreadsheet, name="spreadsheet"),
    path("people/spreadsheet.xlsx", spreadsheet.spreadsheet_template, {"kind": "xlsx"}, name="spreadsheet_xlsx"),
    path("people/spreadsheet.csv", spreadsheet.spreadsheet_template, {"kind": "csv"}, name="spreadsheet_csv"),
    path("people/imports/<str:token>/", spreadsheet.party_import, name="party_import"),
    path("people/imports/<str:token>/removal/", spreadsheet.party_import_removal, name="party_import_removal"),
    path("people/<str:token>/", views.PartyView.as_view(), name="party"),
    path("people/<str:token>/roles/", views.party_roles, name="party_roles"),
    path("people/<str:token>/double/", views.party_duplicate, name="party_duplicate"),
    path("people/<str:token>/owners/", views.owners, name="owners"),
    path("people/<str:token>/removal/", removals.party_removal, name="party_removal"),
    path("people/<str:token>/restoration/", views.party_restoration, name="party_restoration"),
]
