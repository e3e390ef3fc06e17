"""`manage.py api_keys list|create|revoke|replace`: the keys of the embedded formation service."""

from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from formation_portal.desk.api_keys.keys import replace_portals, revoke
from formation_portal.management.commands.create_api_key import add_key_arguments, make_as_asked
from formation_portal.service.models import ApiKey


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
        """Everything but a new key can be printed as often as one likes."""
        getattr(self, options["action"])(options)

    def list(self, _options: dict[str, Any]) -> None:
        """One line a key, the newest last."""
        for one in ApiKey.objects.select_related("account").order_by("pk"):
            parts = (
                f"{one.pk}: {one.name or 'unnamed'}" + (f" …{one.ending}" if one.ending else ""),
                one.status.lower(),
                f"account {one.account.name}",
                f"made {one.created_at:%Y-%m-%d}",
                f"last used {one.last_used_at:%Y-%m-%d %H:%M} UTC" if one.last_used_at else "never used",
                f"expires {one.expires_at:%Y-%m-%d}" if one.expires_at else "",
                " ".join(one.scopes),
            )
            self.stdout.write(", ".join(filter(None, parts)))

    def create(self, options: dict[str, Any]) -> None:
        """As `create_api_key`, with the same options."""
        self.stdout.write(make_as_asked(options))

    def revoke(self, options: dict[str, Any]) -> None:
        """What the key has made stays."""
        if not revoke(options["number"], by=None):
            raise CommandError(
                f"There is no key {options['number']} to revoke. The portal's own is replaced: api_keys replace"
            )
        self.stdout.write(f"Key {options['number']} was revoked. What it made stays.")

    def replace(self, options: dict[str, Any]) -> None:
        """Processes that run keep the key before until they are started anew."""
        if not 0 <= options["hours"] <= _MOST_HOURS:
            raise CommandError(f"--hours takes 0 to {_MOST_HOURS}")
        row = replace_portals(valid_for=timedelta(hours=options["hours"]))
        self.stdout.write(
            f"The portal's own key is {row.pk} now. Start all nodes anew within {options['hours']} hours: the key "
            "before ends then."
        )


_MOST_HOURS = 720
