"""`manage.py restore FOLDER`: restore a backup into the empty databases and storage of the settings."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from formation_portal.management.backups import restore


class Command(BaseCommand):
    help = "Restore what `manage.py backup` has copied, into empty databases. The portal must not run meanwhile."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, help="the folder of a backup")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            restore(options["folder"], self.stdout)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise CommandError(f"{reason}. Not everything is restored: remove the cause, and run it again.") from None
