"""The URLs of documents, below an application's."""

from django.urls import path

from .. import removals
from . import views

application = [
    path("documents/", views.documents, name="documents"),
    path("documents/<int:number>/", views.document, name="document"),
    path("documents/<int:number>/thumbnail/", views.document_thumbnail, name="document_thumbnail"),
    path("documents/<int:number>/pages/<int:page>/", views.document_page, name="document_page"),
    path("documents/<int:number>/pages/<int:page>/picture/", views.document_picture, name="document_picture"),
    path("documents/<int:number>/removal/", removals.document_removal, name="document_removal"),
]
