"""Who is an agent, and what each may do: listed, given and taken. Each change is kept in the audit."""

from collections.abc import Collection

from allauth.account.utils import user_pk_to_url_str
from django.contrib.auth.tokens import default_token_generator
from django.db import transaction
from django.urls import reverse

from formation_portal import mail
from formation_portal.accounts import addresses
from formation_portal.accounts.models import Right, User
from formation_portal.audit import chain
from formation_portal.audit.models import AuditAction


class NotChanged(Exception):
    """Why nothing was changed, as a sentence."""


def agents() -> list[User]:
    """All who may open the desk, by their addresses."""
    return list(User.objects.filter(is_agent=True).order_by("email"))


def describe(agent: User) -> str:
    """One line: the address, and the rights."""
    has = _rights_of(agent)
    return f"{agent.email}: {', '.join(right for right in Right if right in has) or 'can only read'}"


def add_agent(email: str, *, first_name: str = "", last_name: str = "", rights: Collection[Right]) -> tuple[User, str]:
    """Make the account an agent's, and write to it; the account, and the path where its password is chosen.

    An account that is there keeps its name and password, and the path is empty, if its address is confirmed. Else it
    may be a stranger's who has typed a colleague's address: its password and sessions end. Raises NotChanged.
    """
    with transaction.atomic():
        agent = _lock_account(email) or User(email=email.strip().lower())
        if agent.is_agent:
            raise NotChanged(f"{agent.email} is an agent already.")
        agent.first_name, agent.last_name = first_name or agent.first_name, last_name or agent.last_name
        agent.is_agent = agent.is_active = True
        is_known = agent.pk is not None and addresses.has_confirmed(agent)
        if not is_known:
            agent.set_unusable_password()
        agent.save()
        path = ""
        if not is_known:
            kwargs = {"uidb36": user_pk_to_url_str(agent), "key": default_token_generator.make_token(agent)}
            path = reverse("account_reset_password_from_key", kwargs=kwargs)
        context = {"name": agent.get_full_name(), "link": path or reverse("desk:queue"), "is_known": is_known}
        mail.queue_letter(kind="agent", to=agent.email, language=agent.language or "en", context=context)
        _save_rights(agent, before=set(), after=set(rights))
    return agent, path


def remove_agent(email: str) -> User:
    """Take the desk from the account, which stays a customer's with all that it has done. Raises NotChanged."""
    with transaction.atomic():
        agent = _get_agent(email)
        agent.is_agent = False
        agent.save(update_fields=["is_agent"])
        _save_rights(agent, before=_rights_of(agent), after=set())
    return agent


def change_rights(email: str, *, give: Collection[Right], take: Collection[Right]) -> User:
    """Give and take rights; the account as it is then. What is there already is left. Raises NotChanged."""
    if both := sorted(set(give) & set(take)):
        raise NotChanged(f"Give or take {', '.join(both)}, not both.")
    with transaction.atomic():
        agent = _get_agent(email)
        before = _rights_of(agent)
        if (after := (before | set(give)) - set(take)) != before:
            _save_rights(agent, before=before, after=after)
    return agent


def _lock_account(email: str) -> User | None:
    return User.objects.select_for_update().filter(email=email.strip().lower()).first()


def _get_agent(email: str) -> User:
    agent = _lock_account(email)
    if agent is None:
        raise NotChanged(f"There is no account {email}.")
    if not agent.is_agent:
        raise NotChanged(f"{email} is a customer's account. Only agents can have rights.")
    return agent


def _rights_of(agent: User) -> set[Right]:
    """The rights given to the account, which has them again when it is no longer closed."""
    if agent.is_superuser:
        return set(Right)
    return set(Right) & set(agent.user_permissions.values_list("codename", flat=True))


def _save_rights(agent: User, *, before: set[Right], after: set[Right]) -> None:
    agent.set_rights(after)
    if after != set(Right):
        # A superuser has every permission, whichever were given.
        agent.is_superuser = False
        agent.save(update_fields=["is_superuser"])
    given, taken = sorted(after - before), sorted(before - after)
    chain.append(AuditAction.RIGHTS, by=None, application=None, subject=agent.pk, given=given, taken=taken)
