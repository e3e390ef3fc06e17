"""`manage.py secrets`: list the secrets that the portal has made, or remove one."""

from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError, CommandParser

from formation_portal.core.nodes import secret_store
from formation_portal.core.nodes.models import Secret
from formation_portal.core.nodes.secret_store import StoredSecret

# The consequences of removing each secret. FIELD_KEYS can't be removed: the data could no longer be decrypted.
_WARNINGS = {
    StoredSecret.SECRET_KEY: "everybody has to sign in again, and links in e-mails no longer open anything",
    StoredSecret.AUDIT_KEY: "manage.py audit verify can't check anything that was written until now",
    StoredSecret.SIGNING_KEY: "every subscriber of the embedded service needs a new subscription",
    StoredSecret.WEBHOOK_SECRET: "events are refused until manage.py register_webhook has run",
    StoredSecret.SERVICE_KEY: "the next start makes another key; the one before stays valid until it is revoked",
}


class Command(BaseCommand):
    help = "List the secrets that the portal has made, without their values, or remove one so that it is made anew."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--remove", metavar="NAME", choices=sorted(_WARNINGS), help="remove this one")
        parser.add_argument("--yes", action="store_true", help="do so, knowing what it means")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            secret_store.check_secrets()
        except ImproperlyConfigured as error:
            raise CommandError(str(error)) from None
        if options["remove"]:
            self._remove(StoredSecret(options["remove"]), is_sure=options["yes"])
            return
        place = "database" if settings.SECRETS_KEY else "DATA_DIR"
        made_at = dict(Secret.objects.values_list("name", "made_at"))
        for name in StoredSecret:
            if not secret_store.read(name):
                self.stdout.write(f"{name}: not made")
            elif name in made_at:
                self.stdout.write(f"{name}: in the {place}, since {made_at[name]:%Y-%m-%d}")
            else:
                self.stdout.write(f"{name}: in the {place}")

    def _remove(self, name: StoredSecret, *, is_sure: bool) -> None:
        if not is_sure:
            raise CommandError(f"Without it {_WARNINGS[name]}. Pass --yes to remove {name}; nothing was changed")
        if not secret_store.delete(name):
            raise CommandError(f"There is no {name}")
        self.stdout.write(f"Removed {name}. Start all nodes anew.")
