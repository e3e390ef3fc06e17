"""`manage.py create_api_key --scopes …`: create a key and print it (INTERFACE.md, "Transport and credentials")."""

from argparse import ArgumentParser
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from formation_portal.desk.api_keys.keys import make_key
from formation_portal.service.auth import SCOPES

_MAX_DAYS = 3_650


class Command(BaseCommand):
    help = "Create a key for the embedded formation service and print it. It cannot be shown again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_key_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(create_key(options))


def add_key_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--scopes", nargs="+", required=True, help=f"Any of: {', '.join(SCOPES)}; or all")
    parser.add_argument("--name", default="", help="A name for the key")
    parser.add_argument("--account", default="", help="The account that the key belongs to; a new one by default")
    parser.add_argument("--days", type=int, help="Days until the key expires; never by default")
    parser.add_argument("--live", action="store_true", help="Create an sk_live_ key instead of an sk_test_ key")


def create_key(options: Mapping[str, Any]) -> str:
    """Create a key with these options. Raises CommandError."""
    scopes = " ".join(options["scopes"]).replace(",", " ").split()
    if scopes == ["all"]:
        scopes = list(SCOPES)
    days = options["days"]
    expires_at = None
    if days is not None:
        if not 1 <= days <= _MAX_DAYS:
            raise CommandError(f"--days takes 1 to {_MAX_DAYS:,}")
        expires_at = timezone.now() + timedelta(days=days)
    try:
        _, key = make_key(
            by=None,
            scopes=scopes,
            name=options["name"],
            account=options["account"],
            is_live=options["live"],
            expires_at=expires_at,
        )
    except ValueError as error:
        raise CommandError(str(error)) from error
    return key
