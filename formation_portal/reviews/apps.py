"""The reviews app: the record of each review."""

from django.apps import AppConfig


class ReviewsConfig(AppConfig):
    name = "formation_portal.reviews"
    label = "reviews"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Connect the receiver that ends what waits when an application moves without it."""
        from . import receivers  # noqa: F401
