"""The URLs of shares, below an application's."""

from django.urls import path

from .. import removals
from . import views

application = [
    path("shares/", views.SharesView.as_view(), name="shares"),
    path("shares/classes/new/", views.ShareClassNewView.as_view(), name="share_class_new"),
    path("shares/classes/<str:token>/", views.ShareClassView.as_view(), name="share_class"),
    path("shares/classes/<str:token>/removal/", removals.share_class_removal, name="share_class_removal"),
    path("shares/holdings/<str:party>/<str:share_class>/removal/", removals.holding_removal, name="holding_removal"),
    path("shares/owners/<str:token>/", views.OwnerView.as_view(), name="share_owner"),
]
