"""The desk's addresses."""

from django.urls import path

from .views import queue, review

app_name = "desk"

urlpatterns = [
    path("", queue.queue, name="queue"),
    path("<str:reference>/", review.review, name="review"),
    path("<str:reference>/documents/<int:number>/", review.document, name="document"),
]
