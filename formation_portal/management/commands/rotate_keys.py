"""`manage.py rotate_keys`: add a new key, and reencrypt all personal data while the portal serves."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from formation_portal.core import key_rotation
from formation_portal.core.encryption import key_ring
from formation_portal.core.key_rotation import RotationRefused


class Command(BaseCommand):
    help = "Encrypt personal data under a new key, while the portal serves."

    def add_arguments(self, parser: CommandParser) -> None:
        group = parser.add_mutually_exclusive_group()
        group.add_argument("--again", action="store_true", help="no new key: encrypt what an earlier one has encrypted")
        group.add_argument("--drop", action="store_true", help="drop the earlier keys, which nothing needs any more")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["drop"]:
                self.stdout.write(f"Dropped {key_rotation.drop_keys()} earlier keys.")
                return
            if not options["again"]:
                key_rotation.add_key()
        except RotationRefused as refused:
            raise CommandError(f"{refused}.") from None
        if unreadable := key_rotation.reencrypt_all(self.stdout):
            raise CommandError(f"{unreadable} values or files can’t be read with the keys that there are.")
        self.stdout.write("Everything is encrypted by the newest key.")
        if len(key_ring().by_id) > 1:
            self.stdout.write("Run rotate_keys --drop in some minutes. Backups from before need the earlier keys.")
