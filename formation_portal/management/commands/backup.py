"""`manage.py backup FOLDER`: copy all data of the portal while it serves."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from formation_portal.management.backups import back_up


class Command(BaseCommand):
    help = "Copy both databases, all files, secrets and the audit's anchor into a folder, while the portal serves."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, help="a new one, or that of the last backup, whose files are kept")

    def handle(self, *args: Any, **options: Any) -> None:
        back_up(options["folder"], self.stdout)
