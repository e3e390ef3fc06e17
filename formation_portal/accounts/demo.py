"""The demo's accounts: there while the demo setting is on, shut while it is off. Their password is no secret."""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.hashers import make_password
from django.db import transaction

from . import addresses
from .models import User
from .sessions import disable

PASSWORD = "formation-demo"  # noqa: S105  # printed at every start, and only for the demo

# Who there is to try the portal as, by e-mail address.
ACCOUNTS: Mapping[str, Mapping[str, Any]] = {
    "demo@example.com": {"first_name": "Ingrid", "last_name": "Solheim", "is_agent": False},
    "agent@example.com": {"first_name": "Mira", "last_name": "Okafor", "is_agent": True},
    # Somebody to confirm what the first agent decides.
    "colleague@example.com": {"first_name": "Tomasz", "last_name": "Brandt", "is_agent": True},
}


def ensure_demo_accounts() -> None:
    """Make the accounts that aren't there yet, and open those that were shut. Passwords are set only once."""
    there = {user.email: user for user in User.objects.filter(email__in=ACCOUNTS)}
    # One hash, which takes a third of a second, does for all: they have the same password.
    password = "" if len(there) == len(ACCOUNTS) else make_password(PASSWORD)
    for email, more in ACCOUNTS.items():
        if email not in there:
            with transaction.atomic():
                user = User.objects.create_user(email, **more)
                user.password = password
                user.save(update_fields=["password"])
                addresses.confirm(user)
        elif not there[email].is_active:
            there[email].is_active = True
            there[email].save(update_fields=["is_active"])


def deactivate_demo_accounts() -> None:
    """Let nobody in by the accounts whose password everybody knows, and end their sessions; what they own stays."""
    for user in User.objects.filter(email__in=ACCOUNTS, is_active=True):
        disable(user)
