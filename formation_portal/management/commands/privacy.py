"""`manage.py privacy`: export, find and erase a person's data, and apply the retention rules."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from formation_portal.accounts.models import User
from formation_portal.applications.models import Application
from formation_portal.audit import chain
from formation_portal.audit.models import AuditAction
from formation_portal.contract.fields.cleaning import clean_email
from formation_portal.core.databases import SERVICE
from formation_portal.core.overwriting import vacuum
from formation_portal.core.private_files import create_private
from formation_portal.privacy.accounts import NotErasable, erase_account
from formation_portal.privacy.export import account_archive, party_archive
from formation_portal.privacy.persons import NotErased, erase_person, find_persons, why_party_stays
from formation_portal.privacy.retention import RULES, erase_what_is_due, set_hold


class Command(BaseCommand):
    help = "Export, find and erase what is kept of a person, put an application on hold, and run the retention rules."

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        for action, help_text, arguments in (
            ("export", "what is kept of an account's holder, as a ZIP file", "email file"),
            (
                "export-person",
                "what is kept of one party that `find` has listed, as a ZIP file",
                "reference token file",
            ),
            ("erase-account", "delete a customer's account; ask for the e-mail address twice", "email again"),
            ("find", "list the parties, in all applications, with this e-mail address or name", "text"),
            ("erase-person", "erase one party that `find` has listed", "reference token"),
            ("hold", "keep an application from being erased, whatever the rules say", "reference reason"),
            ("release", "let the rules erase it again", "reference"),
        ):
            action_parser = actions.add_parser(action, help=help_text)
            for argument in arguments.split():
                action_parser.add_argument(argument)
        retention = actions.add_parser("retention", help="erase what is due now; it also runs once a day")
        retention.add_argument("--dry-run", action="store_true", help="list what is due, and erase nothing")
        clean = actions.add_parser("vacuum", help="overwrite what was deleted in the databases' files")
        clean.add_argument("--whole", action="store_true", help="write them anew: everybody waits meanwhile")

    def handle(self, *args: Any, **options: Any) -> None:
        getattr(self, options["action"].replace("-", "_"))(options)

    def export(self, options: dict[str, Any]) -> None:
        user = _user(options["email"])
        self._write(account_archive(user), options["file"], subject=user.pk)

    def export_person(self, options: dict[str, Any]) -> None:
        application = _application(options["reference"])
        pieces = party_archive(application, options["token"])
        if pieces is None:
            raise CommandError("There is no such person or company in it.")
        self._write(pieces, options["file"], application=application, subject=options["token"])

    def _write(
        self, pieces: Iterable[bytes], path: str, *, subject: object, application: Application | None = None
    ) -> None:
        try:
            with create_private(Path(path)) as file:
                chain.append(AuditAction.EXPORT, by=None, application=application, subject=subject)
                for piece in pieces:
                    file.write(piece)
        except FileExistsError as error:
            raise CommandError(f"{path} is there already.") from error
        self.stdout.write(f"Written to {path}")

    def erase_account(self, options: dict[str, Any]) -> None:
        if options["email"] != options["again"]:
            raise CommandError("The two e-mail addresses differ: nothing was deleted.")
        user = _user(options["email"])
        try:
            erase_account(user, by=None)
        except NotErasable as refused:
            references = ", ".join(application.reference for application in refused.under_way)
            reason = f"these applications are under way: {references}" if references else "it is an agent's"
            raise CommandError(f"The account can't be deleted: {reason}.") from refused
        self.stdout.write(f"Account {user.pk} was deleted.")

    def find(self, options: dict[str, Any]) -> None:
        """Print the parties with this e-mail address or name, but no names, since the output may be logged."""
        for party in find_persons(options["text"]):
            reason = why_party_stays(party.application)
            result = f"must stay: {reason}" if reason else "can be erased"
            self.stdout.write(f"{party.application.reference} {party.token}  {party.application.state}  {result}")

    def erase_person(self, options: dict[str, Any]) -> None:
        application = _application(options["reference"])
        try:
            erase_person(application, options["token"], by=None)
        except NotErased as refused:
            raise CommandError(str(refused)) from refused
        self.stdout.write("Erased. The formation service was told, where it can still change its record.")

    def hold(self, options: dict[str, Any]) -> None:
        set_hold(_application(options["reference"]), options["reason"])
        self.stdout.write("On hold: nothing of it is erased until it is released.")

    def release(self, options: dict[str, Any]) -> None:
        set_hold(_application(options["reference"]), None)
        self.stdout.write("Released.")

    def retention(self, options: dict[str, Any]) -> None:
        if options["dry_run"]:
            for rule in RULES:
                due = list(rule.due_now())
                self.stdout.write(
                    f"{rule.name}: {len(due)} due ({rule.description}, {rule.setting}={rule.days or 'no end'})"
                )
                for row in due:
                    self.stdout.write(f"  {getattr(row, 'reference', f'account {row.pk}')}")
            return
        for name, count in erase_what_is_due().items():
            self.stdout.write(f"{name}: {count}")

    def vacuum(self, options: dict[str, Any]) -> None:
        for alias in ("default", SERVICE):
            vacuum(alias, is_thorough=options["whole"])
        self.stdout.write("Done.")


def _user(email: str) -> User:
    user = User.objects.filter(email=clean_email(email)).first()
    if user is None:
        raise CommandError(f"There is no account {email}.")
    return user


def _application(reference: str) -> Application:
    application = Application.objects.filter(reference=reference, deleted_at=None).first()
    if application is None:
        raise CommandError(f"There is no application {reference}.")
    return application
