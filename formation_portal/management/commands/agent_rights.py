"""`manage.py agent_rights`: what each agent may do. With an address it shows one, and can give and take rights."""

from collections.abc import Collection
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from formation_portal.accounts.models import Right, User
from formation_portal.accounts.sessions import end_sessions
from formation_portal.management.commands.agent import agents, describe, get_agent, rights_of, save_rights


class Command(BaseCommand):
    help = "List agents' rights, or give and remove them: agent_rights EMAIL --give decide --take export audit"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", nargs="?", default="", help="an agent's e-mail address; by default all agents")
        for deed in ("give", "take"):
            parser.add_argument(f"--{deed}", nargs="+", default=[], choices=Right.values, metavar="RIGHT", help=_HELP)

    def handle(self, *args: Any, **options: Any) -> None:
        """One line an agent: the address, and the rights."""
        email, give, take = options["email"], options["give"], options["take"]
        if not email and (give or take):
            raise CommandError("Name the agent: agent_rights EMAIL --give … --take …")
        found = [change_rights(email, give=_rights(give), take=_rights(take))] if email else agents()
        for agent in found:
            self.stdout.write(describe(agent))
        if not found:
            self.stdout.write("There are no agents.")


_HELP = "; ".join(f"{right.value}: {right.label}" for right in Right)


def _rights(names: list[str]) -> list[Right]:
    return [Right(name) for name in names]


def change_rights(email: str, *, give: Collection[Right], take: Collection[Right]) -> User:
    """Give and take rights, and return the account. One that gets a right has to sign in again. Raises CommandError."""
    if both := sorted(set(give) & set(take)):
        raise CommandError(f"Give or take {', '.join(both)}, not both.")
    with transaction.atomic():
        agent = get_agent(email)
        before = rights_of(agent)
        if (after := (before | set(give)) - set(take)) != before:
            save_rights(agent, before=before, after=after)
            if after - before:
                end_sessions(agent)
    return agent
