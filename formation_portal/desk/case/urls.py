"""The URLs of a case, below its reference."""

from django.urls import path

from . import views

application = [
    path("", views.case, name="case"),
    path("news/", views.case_news, name="case_news"),
    path("remarks/", views.queries, name="queries"),
    path("remarks/<int:number>/removal/", views.query_removal, name="query_removal"),
    path("remarks/<int:number>/settlement/", views.query_resolution, name="query_resolution"),
    path("notes/", views.notes, name="notes"),
    path("notes/<int:number>/removal/", views.note_removal, name="note_removal"),
    path("acceptances/", views.acceptances, name="acceptances"),
    path("reopenings/", views.reopenings, name="reopenings"),
    path("record.json", views.record, name="record"),
    path("record.pdf", views.record_pdf, name="record_pdf"),
    path("documents/<int:number>/", views.document, name="document"),
    path("documents/<int:number>/pages/<int:page>/", views.document_page, name="document_page"),
    path("documents/<int:number>/pages/<int:page>/picture/", views.document_picture, name="document_picture"),
]
