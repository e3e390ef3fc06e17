from django.urls import path

from . import views

urlpatterns = [
    path("your-data/", views.your_data, name="your_data"),
    path("your-data/export/", views.export, name="data_export"),
    path("your-data/deletion/", views.deletion, name="account_deletion"),
    path("your-data/deleted/", views.deleted, name="account_deleted"),
]

application = [
    path("keeping/", views.keeping, name="keeping"),
]
