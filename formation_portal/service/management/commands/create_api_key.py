"""`manage.py create_api_key --scopes …`: prints a new key, which is shown this once (supplement, "Transport")."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from formation_portal.service.auth import SCOPES, create_key


class Command(BaseCommand):
    help = "Create a key for the embedded formation service and print it. It cannot be shown again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """What the key may do, what it is called, and whose it is."""
        parser.add_argument("--scopes", nargs="+", required=True, help=f"Any of: {', '.join(SCOPES)}; or all")
        parser.add_argument("--name", default="", help="A name for the key")
        parser.add_argument("--account", default="", help="The account that the key belongs to; a new one by default")
        parser.add_argument("--live", action="store_true", help="Create an sk_live_ key instead of an sk_test_ key")

    def handle(self, *args: Any, **options: Any) -> None:
        """Prints the key and nothing else, so that a script can take it."""
        asked = [scope for text in options["scopes"] for scope in text.replace(",", " ").split()]
        scopes = SCOPES if asked == ["all"] else asked
        try:
            key = create_key(scopes=scopes, name=options["name"], account=options["account"], is_live=options["live"])
        except ValueError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(key)
