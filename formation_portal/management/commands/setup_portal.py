"""`manage.py setup_portal`: everything that has to stand before the portal can serve. Safe to repeat."""

from typing import Any

from django.core.management.base import BaseCommand

from formation_portal.management.setup import prepare


class Command(BaseCommand):
    help = "Migrate both databases, load the catalog, create keys and demo accounts, and collect static files."

    def handle(self, *args: Any, **options: Any) -> None:
        """Says only what there was to do."""
        prepare(self.stdout.write)
