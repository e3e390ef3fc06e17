"""What single agents may do: listed, given and taken. Each change is kept in the audit."""

from collections.abc import Collection

from django.db import transaction

from formation_portal.accounts.models import User
from formation_portal.accounts.rights import Right
from formation_portal.audit import chain
from formation_portal.audit.models import Deed


class NotChanged(Exception):
    """Why no right was given or taken, as a sentence."""


def agents() -> list[User]:
    """All who may open the desk, by their addresses."""
    return list(User.objects.filter(is_agent=True).order_by("email"))


def change_rights(email: str, *, give: Collection[Right], take: Collection[Right]) -> User:
    """Give and take rights; the account as it is then. What is there already is left. Raises NotChanged."""
    if both := sorted(set(give) & set(take)):
        raise NotChanged(f"Give or take {', '.join(both)}, not both.")
    with transaction.atomic():
        agent = User.objects.select_for_update().filter(email=email.strip().lower()).first()
        if agent is None:
            raise NotChanged(f"There is no account {email}.")
        if not agent.is_agent:
            raise NotChanged(f"{email} is a customer's account. Only agents have rights.")
        before = {right for right in Right if right in agent.rights}
        _keep(agent, before=before, after=(before | set(give)) - set(take))
    return agent


def _keep(agent: User, *, before: set[Right], after: set[Right]) -> None:
    if after == before:
        return
    agent.rights = [right.value for right in Right if right in after]
    agent.save(update_fields=["rights"])
    changes = {"given": sorted(after - before), "taken": sorted(before - after)}
    chain.append(Deed.RIGHTS, by=None, application=None, subject=agent.pk, **changes)
