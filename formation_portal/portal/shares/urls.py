"""The addresses of shares, below an application's."""

from django.urls import path

from .. import removals
from . import views

application = [
    path("shares/", views.shares, name="shares"),
    path("shares/classes/new/", views.share_class_new, name="share_class_new"),
    path("shares/classes/<str:token>/", views.share_class, name="share_class"),
    path("shares/classes/<str:token>/removal/", removals.share_class_removal, name="share_class_removal"),
    path("shares/holdings/<str:party>/<str:share_class>/removal/", removals.holding_removal, name="holding_removal"),
    path("shares/owners/<str:token>/", views.owner, name="share_owner"),
]
