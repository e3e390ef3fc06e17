from django.urls import path

from . import views

application = [
    path("check/", views.check, name="check"),
    path("submission/", views.submission, name="submission"),
    path("status/", views.status, name="status"),
    path("status/news/", views.status_news, name="status_news"),
    path("withdrawal/", views.withdrawal, name="withdrawal"),
    path("record.json", views.record, name="record"),
    path("record.pdf", views.record_pdf, name="record_pdf"),
]
