"""What allauth says when something stands against a sign-in, and the letters that it sends, in the portal's words."""

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

from formation_portal.core import subscribers
from formation_portal.mail import queue_letter
from formation_portal.mail.rendering import KINDS_WITH_NAMES

from . import addresses, second_factor
from .guesses import give_back, password_buckets, remember_device, take
from .models import User
from .sessions import signed_in_seconds

# The letters that our settings of allauth lead to, by its name for them: our kind, and what its link is called.
_LETTERS = {
    "email_confirmation": ("confirmation", "activate_url"),
    "email_confirmation_signup": ("confirmation", "activate_url"),
    "password_reset_key": ("password_reset", "password_reset_url"),
    "unknown_account": ("account_unknown", "signup_url"),
    "email_changed": ("address_changed", "page"),
    "password_changed": ("password_changed", "page"),
    "password_reset": ("password_changed", "page"),
    "password_set": ("password_changed", "page"),
    "account_already_exists": ("account_exists", "password_reset_url"),
    **dict.fromkeys(
        (
            "totp_activated",
            "totp_deactivated",
            "webauthn_added",
            "webauthn_removed",
            "recovery_codes_generated",
            "recovery_codes_shown",
            "recovery_code_used",
        ),
        ("second_factor", "page"),
    ),
}
# A code in their place, where whoever signs up has to enter one.
_CODES = ("email_confirmation", "email_confirmation_signup")


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """Its messages begin with the act."""

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
        """Whether one may be led there. On what is no address at all, the library's own check fails."""
        with contextlib.suppress(ValueError):
            return bool(super().is_safe_url(url))
        return False

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        """Agents come to their queue, everybody else to their applications."""
        if getattr(request.user, "is_agent", False):
            return reverse("desk:queue")
        return str(super().get_login_redirect_url(request))

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Into the outbox, as every other letter. The account's name stands in those alone that go to a confirmed
        address: whoever has opened it may have typed somebody else's."""
        event = template_prefix.rpartition("/")[2]
        kind, link = _LETTERS[event]
        language = get_language() or "en"
        if event in _CODES and "code" in context:
            minutes = settings.ACCOUNT_EMAIL_VERIFICATION_BY_CODE_TIMEOUT // 60
            code = {"code": context["code"], "minutes": minutes}
            queue_letter(kind="signup_code", to=email, language=language, context=code)
            return
        # Without its host: whole addresses are made from PORTAL_URL, not from what a request calls this host.
        path = urlsplit(context[link])._replace(scheme="", netloc="").geturl()
        more = {"event": event} if kind == "second_factor" else {}
        if kind in KINDS_WITH_NAMES:
            more["name"] = context["user"].get_full_name()
        queue_letter(kind=kind, to=email, language=language, context={"link": path, **more})

    def send_notification_mail(
        self, template_prefix: str, user: User, context: dict[str, Any] | None = None, email: str | None = None
    ) -> None:
        """Tell the account's holder what was done to it: at the address that it had (`email`), or has.

        Nothing is told to one that nobody has confirmed, nor of a change that was given up before it was one.
        """
        if template_prefix.endswith("email_deleted") or not (email or addresses.has_confirmed(user)):
            return
        # Whoever has lost the address can set no new password, and has to ask us.
        page = f"{reverse('portal:catalog')}#help" if email else reverse("account_reset_password")
        if "/mfa/" in template_prefix or template_prefix.startswith("mfa/"):
            page = reverse("mfa_index")
        super().send_notification_mail(template_prefix, user, {"user": user, "page": page, **(context or {})}, email)

    def authenticate(self, request: HttpRequest, **credentials: Any) -> User | None:
        """Whose address and password these are; also of a closed account, whose holder reads that it is. A guess is
        counted before anything is hashed, and as much is done where there is no such account. Raises TooManyGuesses."""
        email = str(credentials.get("email", "")).strip().lower()
        user = User.objects.filter(email=email).first()
        buckets = password_buckets(request, email, user)
        taken_at = take(*buckets)
        if not (user or User()).check_password(str(credentials.get("password", ""))) or user is None:
            return None
        give_back(taken_at, *buckets)
        return user

    def _delete_login_attempts_cached_email(self, request: HttpRequest, **credentials: Any) -> None:
        """Nothing is forgotten at a reset: whoever has reset a password is known from now on, and has a count of their
        own."""

    def set_password(self, user: User, password: str) -> None:
        """Write the password alone: the account's sessions may have been ended since it was read."""
        user.set_password(password)
        user.save(update_fields=["password"])

    def post_login(self, request: HttpRequest, user: User, **more: Any) -> HttpResponse:
        """The browser is known for the account from now on."""
        remember_device(request, user)
        response: HttpResponse = super().post_login(request, user, **more)
        return response

    def is_reauthentication_required(self, *, app: str, **more: Any) -> bool:
        """For second factors who has just signed in need not do it again; for address and password they do."""
        if app != "allauth.account" and signed_in_seconds(self.request) < settings.ACCOUNT_REAUTHENTICATION_TIMEOUT:
            return False
        return bool(super().is_reauthentication_required(app=app, **more))

    def get_reauthentication_methods(self, user: User) -> list[dict[str, Any]]:
        """Name the methods in the portal's words. A password alone confirms nobody once there is a second factor."""
        words = {
            "reauthenticate": gettext("Use your password"),
            "mfa_reauthenticate": gettext("Use a code"),
            "mfa_reauthenticate:webauthn": gettext("Use a passkey"),
        }
        methods = super().get_reauthentication_methods(user)
        if len(methods) > 1 and not second_factor.is_verified(self.request):
            methods = [method for method in methods if method["id"] != "reauthenticate"]
        return [one | {"description": words.get(one["id"], one["description"])} for one in methods]

    def send_confirmation_mail(self, request: HttpRequest, emailconfirmation: Any, signup: bool) -> None:
        """A code where one signs up by it, and a link to a new address in any case."""
        if not isinstance(emailconfirmation, EmailConfirmationHMAC):
            super().send_confirmation_mail(request, emailconfirmation, signup)
            return
        link = reverse("account_confirm_email", args=[emailconfirmation.key])
        address = emailconfirmation.email_address
        self.send_mail("email_confirmation", address.email, {"user": address.user, "activate_url": link})

    def get_email_verification_redirect_url(self, email_address: EmailAddress) -> str:
        """Where the confirmation was in the way, else as after signing in."""
        went_to = self.request.session.pop(addresses.AFTER_CONFIRMING, "")
        return went_to or str(super().get_email_verification_redirect_url(email_address))

    def confirm_email(self, request: HttpRequest, email_address: EmailAddress) -> bool:
        """Make it the account's own, unless another account has it, or it was dropped since the page was drawn."""
        email = email_address.email
        with contextlib.suppress(IntegrityError), transaction.atomic():
            User.objects.select_for_update().get(pk=email_address.user_id)
            if not EmailAddress.objects.filter(pk=email_address.pk).exists():
                return False
            if super().confirm_email(request, email_address):
                subscribers.account_renamed(email_address.user)
                return True
        messages.error(
            request,
            gettext("%(email)s belongs to another account. Sign in to that one, or set a new password for it.")
            % {"email": email},
        )
        return False
