"""The reviews app: the record of each review."""

from django.apps import AppConfig


class ReviewsConfig(AppConfig):
    name = "formation_portal.reviews"
    label = "reviews"
    default_auto_field = "django.db.models.BigAutoField"
