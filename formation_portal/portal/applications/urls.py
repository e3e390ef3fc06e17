from django.urls import path

from . import views

urlpatterns = [
    path("applications/", views.applications, name="applications"),
]

application = [
    path("", views.overview, name="overview"),
    path("copy/", views.copy, name="copy"),
    path("carry-over/", views.carry_over, name="carry_over"),
    path("new-form/", views.new_form, name="new_form"),
    path("removal/", views.removal, name="removal"),
]
