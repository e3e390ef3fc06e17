"""`manage.py remove_orphans`: files that belong to nothing. Safe at any time, also while the portal serves."""

from typing import Any

from django.core.management.base import BaseCommand

from formation_portal.management.orphaned_files import remove_orphans


class Command(BaseCommand):
    help = "Remove uploaded files older than a day that no record uses. This also runs at every start."

    def handle(self, *args: Any, **options: Any) -> None:
        """Says how many there were."""
        self.stdout.write(f"{remove_orphans()} files removed")
