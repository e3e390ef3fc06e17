"""The demo's accounts: there while the demo setting is on, shut while it is off. Their password is no secret."""

from dataclasses import dataclass

from django.db import transaction

from . import addresses
from .models import User

PASSWORD = "formation-demo"  # noqa: S105  # printed at every start, and only for the demo


@dataclass(frozen=True, slots=True)
class DemoAccount:
    """Somebody to try the portal as."""

    email: str
    first_name: str
    last_name: str
    is_agent: bool


ACCOUNTS = (
    DemoAccount("demo@example.com", "Ingrid", "Solheim", is_agent=False),
    DemoAccount("agent@example.com", "Mira", "Okafor", is_agent=True),
    # Somebody to confirm what the first agent decides.
    DemoAccount("colleague@example.com", "Tomasz", "Brandt", is_agent=True),
)


def ensure_demo_accounts() -> None:
    """Make the accounts that aren't there yet, and open those that were shut. Passwords are set only once."""
    there = {user.email: user for user in User.objects.filter(email__in=_emails())}
    for account in ACCOUNTS:
        user = there.get(account.email)
        if user is None:
            _create(account)
        elif not user.is_active:
            user.is_active = True
            user.save(update_fields=["is_active"])


def deactivate_demo_accounts() -> None:
    """Let nobody in by the accounts whose password everybody knows; what they own stays."""
    User.objects.filter(email__in=_emails(), is_active=True).update(is_active=False)


def _emails() -> list[str]:
    return [account.email for account in ACCOUNTS]


@transaction.atomic
def _create(account: DemoAccount) -> None:
    user = User.objects.create_user(
        account.email,
        PASSWORD,
        first_name=account.first_name,
        last_name=account.last_name,
        is_agent=account.is_agent,
    )
    addresses.confirm(user)
