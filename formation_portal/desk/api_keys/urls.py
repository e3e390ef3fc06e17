"""The URLs of API keys."""

from django.urls import path

from . import views

urlpatterns = [
    path("api-keys/", views.api_keys, name="api_keys"),
    path("api-keys/<int:number>/revocation/", views.revocation, name="api_key_revocation"),
]
