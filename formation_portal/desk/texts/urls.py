"""The URLs of shared texts."""

from django.urls import path

from . import views

urlpatterns = [
    path("texts/", views.texts, name="texts"),
    path("texts/<int:number>/", views.text, name="text"),
    path("texts/<int:number>/removal/", views.removal, name="text_removal"),
]
