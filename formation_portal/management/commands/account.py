"""`manage.py account disable|enable|forget-second-factor`: whom the portal lets in at all."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from formation_portal.accounts import second_factor
from formation_portal.accounts.models import User
from formation_portal.accounts.sessions import disable, end_sessions


class Command(BaseCommand):
    help = "Shut an account, open it again, or take its second factor: account disable EMAIL"

    def add_arguments(self, parser: CommandParser) -> None:
        deeds = parser.add_subparsers(dest="deed", required=True, metavar="disable|enable|forget-second-factor")
        for name, words in (
            ("disable", "let nobody in by the account, and end its sessions for good; what it owns stays"),
            ("enable", "let its holder in again, who signs in anew"),
            ("forget-second-factor", "for a holder who has lost device and recovery codes, once you know who asks"),
        ):
            deeds.add_parser(name, help=words).add_argument("email")

    def handle(self, *args: Any, **options: Any) -> None:
        """One line that says what was done. Raises CommandError where there is no such account."""
        with transaction.atomic():
            user = User.objects.select_for_update().filter(email=options["email"].strip().lower()).first()
            if user is None:
                raise CommandError(f"There is no account {options['email']}.")
            said = getattr(self, options["deed"].replace("-", "_"))(user)
        self.stdout.write(said)

    def disable(self, user: User) -> str:
        """No session of it opens anything from now on, also once it is enabled again."""
        disable(user)
        return f"{user.email} can't sign in any more, and is signed out everywhere."

    def enable(self, user: User) -> str:
        """Its password and its second factor are what they were."""
        User.objects.filter(pk=user.pk).update(is_active=True)
        return f"{user.email} can sign in again."

    def forget_second_factor(self, user: User) -> str:
        """An agent has to set up another one before the desk opens."""
        count = second_factor.remove_all(user)
        end_sessions(user)
        return f"{user.email} has no second factor any more." if count else f"{user.email} had no second factor."
