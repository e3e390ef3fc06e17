"""The URLs of the queue, and of claiming its cases."""

from django.urls import path

from . import views

urlpatterns = [
    path("", views.queue, name="queue"),
    path("news/", views.news, name="news"),
    path("claims/", views.claims, name="claims"),
    path("assignments/", views.assignments, name="assignments"),
    path("releases/", views.releases, name="releases"),
    path("next-case/", views.next_case, name="next_case"),
]

application = [
    path("claim/", views.claim, name="claim"),
    path("assignment/", views.assignment, name="assignment"),
    path("release/", views.release, name="release"),
]
