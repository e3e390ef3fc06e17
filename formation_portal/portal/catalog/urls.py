from django.urls import path

from . import views

urlpatterns = [
    path("", views.catalog, name="catalog"),
    path("compare/", views.compare, name="compare"),
    path("guide/", views.guide, name="guide"),
    path("products/<str:key>/", views.product, name="product"),
    path("products/<str:key>/checklist/", views.checklist, name="checklist"),
]
