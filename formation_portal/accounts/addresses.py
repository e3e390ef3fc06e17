"""Which e-mail addresses are surely somebody's."""

from allauth.account.models import EmailAddress

from .models import User


def is_confirmed(user: User, email: str) -> bool:
    """Whether the account has the address, and its holder has confirmed it."""
    return bool(EmailAddress.objects.filter(user=user, email__iexact=email, verified=True).exists())


def has(user: User, email: str) -> bool:
    """Whether the account names the address as its own, confirmed or not."""
    named = EmailAddress.objects.filter(user=user, email__iexact=email).exists()
    return bool(named) or user.email.lower() == email.lower()
