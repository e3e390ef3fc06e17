"""The URLs of deliveries to the formation service."""

from django.urls import path

from . import views

urlpatterns = [
    path("deliveries/", views.deliveries, name="deliveries"),
    path("deliveries/<int:number>/", views.delivery, name="delivery"),
    path("deliveries/<int:number>/decision/", views.delivery_resolution, name="delivery_resolution"),
]
