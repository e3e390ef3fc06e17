"""`manage.py agent_rights`: list, give and take agents' rights."""

from collections.abc import Collection
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from formation_portal.accounts.models import Right, User
from formation_portal.accounts.sessions import end_sessions
from formation_portal.management.commands.agent import describe, describe_all, get_agent, rights_of, save_rights


class Command(BaseCommand):
    help = "List agents' rights, or give and remove them: agent_rights EMAIL --give decide --take export audit"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", nargs="?", default="", help="an agent's e-mail address; by default all agents")
        help_text = "; ".join(f"{right.value}: {right.label}" for right in Right)
        for name in ("--give", "--take"):
            parser.add_argument(name, nargs="+", default=[], choices=Right.values, metavar="RIGHT", help=help_text)

    def handle(self, *args: Any, **options: Any) -> None:
        email = options["email"]
        give = list(map(Right, options["give"]))
        take = list(map(Right, options["take"]))
        if email:
            self.stdout.write(describe(change_rights(email, give=give, take=take)))
            return
        if give or take:
            raise CommandError("Name the agent: agent_rights EMAIL --give … --take …")
        self.stdout.write(describe_all() or "There are no agents.")


def change_rights(email: str, *, give: Collection[Right], take: Collection[Right]) -> User:
    """Give and take rights. After a new right the agent has to sign in again. Raises CommandError."""
    if contradictory := sorted(set(give) & set(take)):
        raise CommandError(f"Give or take {', '.join(contradictory)}, not both.")
    with transaction.atomic():
        agent = get_agent(email)
        before = rights_of(agent)
        after = (before | set(give)) - set(take)
        if after != before:
            save_rights(agent, before=before, after=after)
            if after - before:
                end_sessions(agent)
    return agent
