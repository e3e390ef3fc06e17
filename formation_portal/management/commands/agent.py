"""`manage.py agent add|remove|list`: who may open the desk. What each may do there is `agent_rights`."""

from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_email

from formation_portal.accounts.models import Right
from formation_portal.management.agents import NotChanged, add_agent, agents, describe, remove_agent


class Command(BaseCommand):
    help = "Say who may open the desk: agent add EMAIL, agent remove EMAIL, agent list"

    def add_arguments(self, parser: CommandParser) -> None:
        deeds = parser.add_subparsers(dest="deed", required=True, metavar="add|remove|list")
        add = deeds.add_parser("add", help="make an account an agent's, and a new one where there is none")
        add.add_argument("email", type=_address)
        add.add_argument("--first-name", default="", help="of a new agent, as colleagues read it")
        add.add_argument("--last-name", default="")
        add.add_argument(
            "--rights", nargs="*", default=Right.values, choices=Right.values, metavar="RIGHT",
            help=f"all unless some are named: {', '.join(Right.values)}",
        )  # fmt: skip
        remove = deeds.add_parser("remove", help="take the desk from an agent, who stays a customer")
        remove.add_argument("email")
        deeds.add_parser("list", help="all agents with their rights")

    def handle(self, *args: Any, **options: Any) -> None:
        """One line an agent, as `agent_rights` prints it."""
        try:
            getattr(self, options["deed"])(options)
        except NotChanged as refused:
            raise CommandError(str(refused)) from refused

    def add(self, options: dict[str, Any]) -> None:
        """Where letters reach nobody, the way to a password is printed."""
        agent, path = add_agent(
            options["email"],
            first_name=options["first_name"],
            last_name=options["last_name"],
            rights=[Right(name) for name in options["rights"]],
        )
        self.stdout.write(describe(agent))
        if path and settings.LETTERS_GO_OUT:
            self.stdout.write(f"A letter to {agent.email} leads to the choice of a password.")
        elif path:
            self.stdout.write(f"They choose a password here, once, within three days: {settings.PORTAL_URL}{path}")

    def remove(self, options: dict[str, Any]) -> None:
        """Its applications as a customer stay."""
        self.stdout.write(f"{remove_agent(options['email']).email} can't open the desk any more.")

    def list(self, _options: dict[str, Any]) -> None:
        """All of them, by address."""
        found = [describe(agent) for agent in agents()]
        self.stdout.write("\n".join(found) or "There are no agents. Add one: agent add EMAIL")


def _address(typed: str) -> str:
    try:
        validate_email(typed.strip())
    except ValidationError as error:
        raise CommandError(f"{typed} is no e-mail address.") from error
    return typed
