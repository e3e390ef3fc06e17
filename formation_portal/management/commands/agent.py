"""`manage.py agent add|remove|list`: manage the accounts that may open the desk. For rights see `agent_rights`."""

from collections.abc import Collection
from typing import Any

from allauth.account.utils import user_pk_to_url_str
from django.conf import settings
from django.contrib.auth.tokens import default_token_generator
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_email
from django.db import transaction
from django.urls import reverse

from formation_portal import workflow
from formation_portal.accounts import addresses
from formation_portal.accounts.models import Right, User
from formation_portal.accounts.sessions import end_sessions
from formation_portal.audit import chain
from formation_portal.audit.models import AuditAction
from formation_portal.contract.fields.cleaning import clean_email
from formation_portal.mail.outbox import queue_email


class Command(BaseCommand):
    help = "Say who may open the desk: agent add EMAIL, agent remove EMAIL, agent list"

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True, metavar="add|remove|list")
        add = actions.add_parser("add", help="make an account an agent's, and a new one where there is none")
        add.add_argument("email", type=_address)
        add.add_argument("--first-name", default="", help="of a new agent, as colleagues read it")
        add.add_argument("--last-name", default="")
        add.add_argument(
            "--rights", nargs="*", default=Right.values, choices=Right.values, metavar="RIGHT",
            help=f"all unless some are named: {', '.join(Right.values)}",
        )  # fmt: skip
        remove = actions.add_parser("remove", help="take the desk from an agent, who stays a customer")
        remove.add_argument("email")
        actions.add_parser("list", help="all agents with their rights")

    def handle(self, *args: Any, **options: Any) -> None:
        getattr(self, options["action"])(options)

    def add(self, options: dict[str, Any]) -> None:
        """Make an account an agent's. Print the link to choose a password if no e-mail can be sent."""
        agent, path = add_agent(
            options["email"],
            first_name=options["first_name"],
            last_name=options["last_name"],
            rights=list(map(Right, options["rights"])),
        )
        self.stdout.write(describe(agent))
        if path and settings.LETTERS_GO_OUT:
            self.stdout.write(f"A letter to {agent.email} leads to the choice of a password.")
        elif path:
            self.stdout.write(f"They choose a password here, once, within three days: {settings.PORTAL_URL}{path}")

    def remove(self, options: dict[str, Any]) -> None:
        self.stdout.write(f"{remove_agent(options['email']).email} can't open the desk any more.")

    def list(self, _options: dict[str, Any]) -> None:
        self.stdout.write(describe_all() or "There are no agents. Add one: agent add EMAIL")


def _address(text: str) -> str:
    try:
        validate_email(text.strip())
    except ValidationError as error:
        raise CommandError(f"{text} is no e-mail address.") from error
    return text


def describe_all() -> str:
    return "\n".join(map(describe, User.objects.filter(is_agent=True).order_by("email")))


def describe(agent: User) -> str:
    rights = rights_of(agent)
    return f"{agent.email}: {', '.join(right for right in Right if right in rights) or 'can only read'}"


def add_agent(email: str, *, first_name: str = "", last_name: str = "", rights: Collection[Right]) -> tuple[User, str]:
    """Make the account an agent's, and send an e-mail. Return the account, and the path for choosing a password.

    An account with a confirmed address keeps its password, and the path is "". An unconfirmed account may be of a
    stranger who used a colleague's address, so its password is removed. Raises CommandError.
    """
    with transaction.atomic():
        agent = _lock_account(email) or User(email=clean_email(email))
        if agent.is_agent:
            raise CommandError(f"{agent.email} is an agent already.")
        agent.first_name = first_name or agent.first_name
        agent.last_name = last_name or agent.last_name
        agent.is_agent = True
        agent.is_active = True
        is_known = agent.pk is not None and addresses.has_confirmed(agent)
        if not is_known:
            agent.set_unusable_password()
        agent.save()
        workflow.account_renamed(agent)
        path = ""
        if not is_known:
            kwargs = {"uidb36": user_pk_to_url_str(agent), "key": default_token_generator.make_token(agent)}
            path = reverse("account_reset_password_from_key", kwargs=kwargs)
        context = {"link": path or reverse("desk:queue"), "is_known": is_known}
        queue_email(kind="agent", to=agent.email, language=agent.language or "en", context=context)
        save_rights(agent, before=set(), after=set(rights))
        # An existing customer's session may last longer than an agent's is allowed to.
        end_sessions(agent)
    return agent, path


def remove_agent(email: str) -> User:
    """Make the agent's account a customer's. Raises CommandError."""
    with transaction.atomic():
        agent = get_agent(email)
        agent.is_agent = False
        agent.save(update_fields=["is_agent"])
        save_rights(agent, before=rights_of(agent), after=set())
        end_sessions(agent)
    return agent


def _lock_account(email: str) -> User | None:
    return User.objects.select_for_update().filter(email=clean_email(email)).first()


def get_agent(email: str) -> User:
    """Lock and return the agent's account. Raises CommandError if there is none."""
    agent = _lock_account(email)
    if agent is None:
        raise CommandError(f"There is no account {email}.")
    if not agent.is_agent:
        raise CommandError(f"{email} is a customer's account. Only agents can have rights.")
    return agent


def rights_of(agent: User) -> set[Right]:
    """Return the rights that were given to the account, even if it is closed."""
    if agent.is_superuser:
        return set(Right)
    return set(Right) & set(agent.user_permissions.values_list("codename", flat=True))


def save_rights(agent: User, *, before: set[Right], after: set[Right]) -> None:
    agent.set_rights(after)
    if after != set(Right):
        # A superuser has every permission.
        agent.is_superuser = False
        agent.save(update_fields=["is_superuser"])
    chain.append(
        AuditAction.RIGHTS,
        by=None,
        application=None,
        subject=agent.pk,
        given=sorted(after - before),
        taken=sorted(before - after),
    )
