"""The address of an account and its confirmation. An account with an unconfirmed address may belong to a stranger: it
may edit drafts, but can't submit them or write to other people."""

from allauth.account.adapter import get_adapter
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from allauth.core import ratelimit
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest

from formation_portal import workflow

from .models import User

AFTER_CONFIRMING = "after_confirming"


def is_confirmed(user: User, email: str) -> bool:
    return bool(EmailAddress.objects.filter(user=user, email__iexact=email, verified=True).exists())


def has_confirmed(user: User) -> bool:
    return is_confirmed(user, user.email)


def has_address(user: User, email: str) -> bool:
    is_listed = EmailAddress.objects.filter(user=user, email__iexact=email).exists()
    return bool(is_listed) or user.email.lower() == email.lower()


def confirm(user: User) -> None:
    """Mark the account's own address as confirmed, and delete all others."""
    with transaction.atomic():
        EmailAddress.objects.filter(user=user).exclude(email=user.email).delete()
        EmailAddress.objects.update_or_create(user=user, email=user.email, defaults={"verified": True, "primary": True})


def after_confirming(request: HttpRequest, path: str) -> None:
    """Remember the path to redirect to once the address is confirmed in this browser."""
    request.session[AFTER_CONFIRMING] = path


def send_link(request: HttpRequest, address: EmailAddress) -> bool:
    """Send a link that confirms the address. Return False if too many were sent lately."""
    if not ratelimit.consume(request, action="confirm_email", key=address.email.lower()):
        return False
    EmailConfirmationHMAC.create(address).send(request)
    text = "account/messages/email_confirmation_sent.txt"
    get_adapter().add_message(request, messages.INFO, text, {"email": address.email, "login": True, "signup": False})
    return True


def replace_unconfirmed(user: User, email: str, request: HttpRequest) -> EmailAddress:
    """Replace the account's unconfirmed address, and send a link to the new address.

    The new address gets a row of its own, so that links of earlier e-mails stop working.
    """
    with transaction.atomic():
        EmailAddress.objects.filter(user=user).delete()
        address = EmailAddress.objects.add_email(request, user, email)
        address.set_as_primary()
        workflow.account_renamed(user)
    send_link(request, address)
    return address
