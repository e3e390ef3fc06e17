"""`manage.py api_keys list|create|revoke|replace`: manage the keys of the embedded formation service."""

from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from formation_portal.desk.api_keys.keys import replace_portals, revoke
from formation_portal.management.commands.create_api_key import add_key_arguments, create_key
from formation_portal.service.models import ApiKey

_MAX_HOURS = 720


class Command(BaseCommand):
    help = "Keys of the embedded formation service: api_keys list, api_keys create, api_keys revoke 7, api_keys replace"

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True, metavar="list|create|revoke|replace")
        actions.add_parser("list", help="all keys, with their last use")
        add_key_arguments(actions.add_parser("create", help="make a key and print it, as create_api_key does"))
        actions.add_parser("revoke", help="let a key open nothing any more").add_argument("number", type=int)
        replacing = actions.add_parser("replace", help="give the portal another key of its own")
        replacing.add_argument(
            "--hours", type=int, default=24, help="how long the key before still works; 24 by default, 0: not at all"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        getattr(self, options["action"])(options)

    def list(self, _options: dict[str, Any]) -> None:
        for key in ApiKey.objects.select_related("account").order_by("pk"):
            title = f"{key.pk}: {key.name or 'unnamed'}"
            if key.ending:
                title += f" …{key.ending}"
            parts = [title, key.status.lower(), f"account {key.account.name}", f"made {key.created_at:%Y-%m-%d}"]
            if key.last_used_at:
                parts.append(f"last used {key.last_used_at:%Y-%m-%d %H:%M} UTC")
            else:
                parts.append("never used")
            if key.expires_at:
                parts.append(f"expires {key.expires_at:%Y-%m-%d}")
            if key.scopes:
                parts.append(" ".join(key.scopes))
            self.stdout.write(", ".join(parts))

    def create(self, options: dict[str, Any]) -> None:
        self.stdout.write(create_key(options))

    def revoke(self, options: dict[str, Any]) -> None:
        if not revoke(options["number"], by=None):
            raise CommandError(
                f"There is no key {options['number']} to revoke. The portal's own is replaced: api_keys replace"
            )
        self.stdout.write(f"Key {options['number']} was revoked. What it made stays.")

    def replace(self, options: dict[str, Any]) -> None:
        """Replace the portal's own key. Running processes use the previous one until they are restarted."""
        if not 0 <= options["hours"] <= _MAX_HOURS:
            raise CommandError(f"--hours takes 0 to {_MAX_HOURS}")
        row = replace_portals(valid_for=timedelta(hours=options["hours"]))
        self.stdout.write(
            f"The portal's own key is {row.pk} now. Start all nodes anew within {options['hours']} hours: the key "
            "before ends then."
        )
