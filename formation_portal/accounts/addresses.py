"""Which e-mail address is surely an account's. It has one, `User.email`; another takes its place once it is confirmed.

Before its address is confirmed, an account may be a stranger's who has typed somebody else's: it has drafts of its own,
and submits nothing, writes to nobody and takes part in nobody's application.
"""

from allauth.account.adapter import get_adapter
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from allauth.core import ratelimit
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest

from formation_portal.core import subscribers

from .models import User

AFTER_CONFIRMING = "after_confirming"


def is_confirmed(user: User, email: str) -> bool:
    """Whether the account has the address, and its holder has confirmed it."""
    return bool(EmailAddress.objects.filter(user=user, email__iexact=email, verified=True).exists())


def has_confirmed(user: User) -> bool:
    """Whether the account's own address is confirmed."""
    return is_confirmed(user, user.email)


def has_address(user: User, email: str) -> bool:
    """Whether the account names the address as its own, confirmed or not."""
    named = EmailAddress.objects.filter(user=user, email__iexact=email).exists()
    return bool(named) or user.email.lower() == email.lower()


def confirm(user: User) -> None:
    """Take the account's own address as confirmed, since its holder reads what is sent there, and drop all others."""
    with transaction.atomic():
        EmailAddress.objects.filter(user=user).exclude(email=user.email).delete()
        EmailAddress.objects.update_or_create(user=user, email=user.email, defaults={"verified": True, "primary": True})


def after_confirming(request: HttpRequest, path: str) -> None:
    """Go on there once the address is confirmed in this browser."""
    request.session[AFTER_CONFIRMING] = path


def send_link(request: HttpRequest, address: EmailAddress) -> bool:
    """Ask the address for a confirmation; whether it was, for it may have been asked a moment ago."""
    if not ratelimit.consume(request, action="confirm_email", key=address.email.lower()):
        return False
    EmailConfirmationHMAC.create(address).send(request)
    said = "account/messages/email_confirmation_sent.txt"
    get_adapter().add_message(request, messages.INFO, said, {"email": address.email, "login": True, "signup": False})
    return True


def replace_confirmed(user: User, email: str, request: HttpRequest) -> EmailAddress:
    """Let another address take the place of the account's own once it is confirmed, and ask it for that."""
    address = EmailAddress.objects.add_new_email(request, user, email, send_verification=False)
    send_link(request, address)
    return address


def replace_unconfirmed(user: User, email: str, request: HttpRequest) -> EmailAddress:
    """Put another address in the place of one that was never confirmed, and ask it for a confirmation.

    It is a row of its own: the link of an earlier letter names the old row, and confirms nothing any more.
    """
    with transaction.atomic():
        EmailAddress.objects.filter(user=user).delete()
        address = EmailAddress.objects.add_email(request, user, email)
        address.set_as_primary()
        subscribers.account_renamed(user)
    send_link(request, address)
    return address
