"""The demo's accounts, enabled while the demo setting is on. Their password is no secret."""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.hashers import make_password
from django.db import transaction

from . import addresses
from .models import User
from .sessions import disable

PASSWORD = "formation-demo"  # noqa: S105  # printed at every start, and only for the demo

# The accounts by their e-mail addresses.
ACCOUNTS: Mapping[str, Mapping[str, Any]] = {
    "demo@example.com": {"first_name": "Ingrid", "last_name": "Solheim", "is_agent": False},
    "agent@example.com": {"first_name": "Mira", "last_name": "Okafor", "is_agent": True},
    # The second agent, who confirms the first agent's decisions.
    "colleague@example.com": {"first_name": "Tomasz", "last_name": "Brandt", "is_agent": True},
}


def ensure_demo_accounts() -> None:
    users = {user.email: user for user in User.objects.filter(email__in=ACCOUNTS)}
    # All accounts share the hash of their common password, since making it takes a third of a second.
    password = "" if len(users) == len(ACCOUNTS) else make_password(PASSWORD)
    for email, attributes in ACCOUNTS.items():
        if email not in users:
            with transaction.atomic():
                user = User.objects.create_user(email, **attributes)
                user.password = password
                user.save(update_fields=["password"])
                addresses.confirm(user)
        elif not users[email].is_active:
            users[email].is_active = True
            users[email].save(update_fields=["is_active"])


def deactivate_demo_accounts() -> None:
    """Disable the demo accounts. Their applications stay."""
    for user in User.objects.filter(email__in=ACCOUNTS, is_active=True):
        disable(user)
