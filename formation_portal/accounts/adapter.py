"""The adapter by which allauth calls the portal's code."""

import contextlib
from typing import Any
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from django.conf import settings
from django.contrib import messages
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from formation_portal import workflow
from formation_portal.mail.outbox import queue_email
from formation_portal.mail.rendering import KINDS_WITH_NAMES

from . import addresses, second_factor
from .guesses import give_back, password_buckets, remember_device, take
from .models import User
from .sessions import signed_in_seconds

# The e-mails that allauth sends under our settings: allauth's name, then our kind and the link's name in the context.
_EMAILS = {
    "email_confirmation": ("confirmation", "activate_url"),
    "email_confirmation_signup": ("confirmation", "activate_url"),
    "password_reset_key": ("password_reset", "password_reset_url"),
    "unknown_account": ("account_unknown", "signup_url"),
    "email_changed": ("address_changed", "page"),
    "password_changed": ("password_changed", "page"),
    "password_reset": ("password_changed", "page"),
    "password_set": ("password_changed", "page"),
    "account_already_exists": ("account_exists", "password_reset_url"),
}


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    error_messages = DefaultAccountAdapter.error_messages | {
        "email_password_mismatch": _("The e-mail address or password is wrong. Check both and try again."),
        "enter_current_password": _("Enter your current password."),
        "incorrect_password": _("Enter your password again. This one is wrong."),
        "cannot_remove_primary_email": _("Make another address your main one before you remove this one."),
        "duplicate_email": _("This address is already in your account. Enter another."),
        "email_taken": _("An account with this address already exists. Sign in, or set a new password."),
        "incorrect_code": _("This code is wrong. Enter the code from our latest e-mail."),
        "too_many_login_attempts": _("Too many attempts. Wait a few minutes, then try again."),
        "rate_limited": _("Too many attempts in a short time. Wait a few minutes, then try again."),
    }

    def is_safe_url(self, url: str | None) -> bool:
        # allauth's check fails on a text that is no URL.
        try:
            return bool(super().is_safe_url(url))
        except ValueError:
            return False

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        if getattr(request.user, "is_agent", False):
            return reverse("desk:queue")
        return str(super().get_login_redirect_url(request))

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Write the e-mail into the outbox. Only an e-mail to a confirmed address shows the account's name, since an
        unconfirmed address may be a stranger's."""
        template_name = template_prefix.rpartition("/")[2]
        is_about_factors = template_prefix.startswith("mfa/")
        kind, link_name = ("second_factor", "page") if is_about_factors else _EMAILS[template_name]
        content: dict[str, object] = {}
        if kind == "confirmation" and "code" in context:
            kind = "signup_code"
            content["code"] = context["code"]
            content["minutes"] = settings.ACCOUNT_EMAIL_VERIFICATION_BY_CODE_TIMEOUT // 60
        else:
            # The path only: the host comes from PORTAL_URL, not from the request.
            content["link"] = urlsplit(context[link_name])._replace(scheme="", netloc="").geturl()
        if is_about_factors:
            content["event"] = template_name
        if kind in KINDS_WITH_NAMES:
            content["name"] = context["user"].get_full_name()
        queue_email(kind=kind, to=email, language=get_language() or "en", context=content)

    def send_notification_mail(
        self, template_prefix: str, user: User, context: dict[str, Any] | None = None, email: str | None = None
    ) -> None:
        """Tell the account's holder of a change: at the former address (`email`) if given, else at the present one.

        Sends nothing to an unconfirmed address, and nothing about a deleted address.
        """
        if template_prefix.endswith("email_deleted") or not (email or addresses.has_confirmed(user)):
            return
        if template_prefix.startswith("mfa/"):
            page = reverse("mfa_index")
        elif email:
            # The holder of the former address can't use it to set a new password, and has to ask us.
            page = f"{reverse('portal:catalog')}#help"
        else:
            page = reverse("account_reset_password")
        super().send_notification_mail(template_prefix, user, {"user": user, "page": page, **(context or {})}, email)

    def authenticate(self, request: HttpRequest, **credentials: Any) -> User | None:
        """Return the user with this address and password, or None. The account may be closed. Raises TooManyGuesses.

        A guess is counted before anything is hashed. For an address without an account, this takes as long.
        """
        email = str(credentials.get("email", "")).strip().lower()
        user = User.objects.filter(email=email).first()
        buckets = password_buckets(request, email, user)
        taken_at = take(*buckets)
        if not (user or User()).check_password(str(credentials.get("password", ""))) or user is None:
            return None
        give_back(taken_at, *buckets)
        return user

    def _delete_login_attempts_cached_email(self, request: HttpRequest, **credentials: Any) -> None:
        """Keep the counted guesses when the password is reset: the browser then is known and has its own count."""

    def set_password(self, user: User, password: str) -> None:
        """Save only the password: since the account was read, another request may have ended its sessions."""
        user.set_password(password)
        user.save(update_fields=["password"])

    def post_login(self, request: HttpRequest, user: User, **more: Any) -> HttpResponse:
        remember_device(request, user)
        response: HttpResponse = super().post_login(request, user, **more)
        return response

    def is_reauthentication_required(self, *, app: str, **more: Any) -> bool:
        """Require reauthentication, except for pages about second factors if the user has just signed in."""
        if app != "allauth.account" and signed_in_seconds(self.request) < settings.ACCOUNT_REAUTHENTICATION_TIMEOUT:
            return False
        return bool(super().is_reauthentication_required(app=app, **more))

    def get_reauthentication_methods(self, user: User) -> list[dict[str, Any]]:
        """Return the ways to reauthenticate, without the password if this session has not used the second factor."""
        descriptions = {
            "reauthenticate": gettext("Use your password"),
            "mfa_reauthenticate": gettext("Use a code"),
            "mfa_reauthenticate:webauthn": gettext("Use a passkey"),
        }
        methods: list[dict[str, Any]] = super().get_reauthentication_methods(user)
        if len(methods) > 1 and not second_factor.is_verified(self.request):
            methods = [method for method in methods if method["id"] != "reauthenticate"]
        for method in methods:
            method["description"] = descriptions.get(method["id"], method["description"])
        return methods

    def send_confirmation_mail(self, request: HttpRequest, emailconfirmation: Any, signup: bool) -> None:
        """Send a link to a new address, or a code when signing up by code."""
        if not isinstance(emailconfirmation, EmailConfirmationHMAC):
            super().send_confirmation_mail(request, emailconfirmation, signup)
            return
        link = reverse("account_confirm_email", args=[emailconfirmation.key])
        address = emailconfirmation.email_address
        self.send_mail("email_confirmation", address.email, {"user": address.user, "activate_url": link})

    def get_email_verification_redirect_url(self, email_address: EmailAddress) -> str:
        url = self.request.session.pop(addresses.AFTER_CONFIRMING, "")
        return url or str(super().get_email_verification_redirect_url(email_address))

    def confirm_email(self, request: HttpRequest, email_address: EmailAddress) -> bool:
        """Make this the account's address. Return False if another account has it, or if it was removed meanwhile."""
        email = email_address.email
        with contextlib.suppress(IntegrityError), transaction.atomic():
            User.objects.select_for_update().get(pk=email_address.user_id)
            if not EmailAddress.objects.filter(pk=email_address.pk).exists():
                return False
            if super().confirm_email(request, email_address):
                workflow.account_renamed(email_address.user)
                return True
        messages.error(
            request,
            gettext("%(email)s belongs to another account. Sign in to that one, or set a new password for it.")
            % {"email": email},
        )
        return False
