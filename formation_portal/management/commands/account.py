"""`manage.py account disable|enable|forget-second-factor`: close, open and recover accounts."""

from typing import Any

from allauth.mfa.models import Authenticator
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from formation_portal.accounts.models import User
from formation_portal.accounts.sessions import disable, end_sessions
from formation_portal.contract.fields.cleaning import clean_email


class Command(BaseCommand):
    help = "Shut an account, open it again, or take its second factor: account disable EMAIL"

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True, metavar="disable|enable|forget-second-factor")
        for name, help_text in (
            ("disable", "let nobody in by the account, and end its sessions for good; what it owns stays"),
            ("enable", "let its holder in again, who signs in anew"),
            ("forget-second-factor", "for a holder who has lost device and recovery codes, once you know who asks"),
        ):
            actions.add_parser(name, help=help_text).add_argument("email")

    def handle(self, *args: Any, **options: Any) -> None:
        with transaction.atomic():
            user = User.objects.select_for_update().filter(email=clean_email(options["email"])).first()
            if user is None:
                raise CommandError(f"There is no account {options['email']}.")
            message = getattr(self, options["action"].replace("-", "_"))(user)
        self.stdout.write(message)

    def disable(self, user: User) -> str:
        disable(user)
        return f"{user.email} can't sign in any more, and is signed out everywhere."

    def enable(self, user: User) -> str:
        User.objects.filter(pk=user.pk).update(is_active=True)
        return f"{user.email} can sign in again."

    def forget_second_factor(self, user: User) -> str:
        count, _ = Authenticator.objects.filter(user=user).delete()
        end_sessions(user)
        if not count:
            return f"{user.email} had no second factor."
        return f"{user.email} has no second factor any more."
