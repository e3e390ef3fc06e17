"""The forms for signing in, signing up and passwords: allauth's, with the portal's texts and limits of guesses."""

import secrets
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, ClassVar

from allauth.account import forms as allauth_forms
from allauth.account.adapter import get_adapter
from allauth.account.models import EmailAddress
from allauth.account.utils import get_next_redirect_url
from allauth.core import context
from django import forms
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.contrib.auth.password_validation import MinimumLengthValidator, get_default_password_validators
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from formation_portal.contract.fields.cleaning import clean_email, clean_line
from formation_portal.mail.outbox import queue_email
from formation_portal.mail.typed_text import validate_name

from . import addresses
from .guesses import RESET_EMAILS, SENT_CODE, TooManyGuesses, counted, password_buckets, take
from .languages import language_in, theme_in
from .models import User
from .sessions import end_sessions

# How the text of a control is cleaned. Other controls keep theirs.
_CLEANED = {"login": clean_email, "email": clean_email, "first_name": clean_line, "last_name": clean_line}

_LABELS = {
    "login": _("E-mail address"),
    "email": _("E-mail address"),
    "remember": _("Keep me signed in on this device"),
    "oldpassword": _("Current password"),
    "password1": _("New password"),
    "password2": _("Confirm new password"),
    "code": _("Code"),
    "name": _("Name"),
}


class PortalFormMixin:
    """Give a form of allauth the portal's texts: common labels (_LABELS), and its own `labels` and `help_texts`.

    If a button for language or theme was pressed, the form is not validated, and shows what was typed except passwords.
    """

    fields: dict[str, forms.Field]
    labels: ClassVar[Mapping[str, Any]] = {}
    help_texts: ClassVar[Mapping[str, Any]] = {}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        posted = kwargs.get("data")
        if posted is not None and (language_in(posted) or theme_in(posted)):
            typed = {name: value for name, value in posted.items() if "password" not in name}
            kwargs |= {"data": None, "files": None, "initial": (kwargs.get("initial") or {}) | typed}
        elif posted is not None:
            # Passwords and codes stay as they were typed.
            kwargs["data"] = posted.copy()
            for name in _CLEANED.keys() & posted.keys():
                kwargs["data"][name] = _CLEANED[name](str(posted[name]))
        super().__init__(*args, **kwargs)
        labels = {**_LABELS, **self.labels}
        for name, field in self.fields.items():
            field.label = labels.get(name, field.label)
            field.help_text = self.help_texts.get(name, field.help_text)
        if "password1" in self.fields:
            self.fields["password1"].help_text = _password_hint()


class SignInForm(PortalFormMixin, allauth_forms.LoginForm):  # type: ignore[misc]  # allauth has no types
    """Sign in by e-mail address and password, with the choice to stay signed in on this device."""


class SignUpForm(PortalFormMixin, allauth_forms.SignupForm):  # type: ignore[misc]  # allauth has no types
    """Make an account. Its names may contain no addresses, since other people read them in e-mails."""

    labels: ClassVar[Mapping[str, Any]] = {"password1": _("Password")}
    first_name = forms.CharField(
        label=_("First name"),
        max_length=150,
        validators=[validate_name],
        widget=forms.TextInput(attrs={"autocomplete": "given-name"}),
    )
    one_name = forms.BooleanField(
        label=_("I have only one name"), help_text=_("Enter it as your last name."), required=False
    )
    last_name = forms.CharField(
        label=_("Last name"),
        max_length=150,
        validators=[validate_name],
        widget=forms.TextInput(attrs={"autocomplete": "family-name"}),
    )
    cleaned_data: dict[str, Any]
    account_already_exists: bool
    field_order = ("first_name", "one_name", "last_name", "email", "password1")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.data.get("one_name"):
            self.fields["first_name"].required = False

    def clean_first_name(self) -> str:
        return "" if self.data.get("one_name") else str(self.cleaned_data["first_name"])

    def try_save(self, request: HttpRequest) -> tuple[User | None, Any]:
        """Save the account. Neither time nor response shows if the address has an account already."""
        if self.account_already_exists:
            self._save_and_roll_back(request)
        try:
            return super().try_save(request)  # type: ignore[no-any-return]
        except IntegrityError:
            if not settings.ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED:
                raise
            # Another process has made the account meanwhile.
            self.account_already_exists = True
            return super().try_save(request)  # type: ignore[no-any-return]

    def _save_and_roll_back(self, request: HttpRequest) -> None:
        """Hash, write and read as much as for a new account, so that both cases take the same time."""
        typed = self.cleaned_data
        email = f"{secrets.token_hex(16)}@invalid.example"
        with transaction.atomic():
            self.cleaned_data = typed | {"email": email}
            self.account_already_exists = False
            user = super().save(request)
            # The same SQL queries as when a new account is sent its code.
            for _ in range(2):
                EmailAddress.objects.get(user_id=user.pk, email=email)
            User.objects.get(pk=user.pk)
            self.cleaned_data = typed
            self.account_already_exists = True
            transaction.set_rollback(True)

    def save(self, request: HttpRequest) -> User:
        """Save the account. Raises IntegrityError if another process has made one with the address meanwhile."""
        with transaction.atomic():
            user: User = super().save(request)
        if following := get_next_redirect_url(request):
            addresses.after_confirming(request, following)
        return user


class AddEmailForm(PortalFormMixin, allauth_forms.AddEmailForm):  # type: ignore[misc]  # allauth has no types
    """Replace the account's address: an unconfirmed address at once, else when the new address is confirmed."""

    labels: ClassVar[Mapping[str, Any]] = {"email": _("New e-mail address")}

    def clean_email(self) -> str:
        email = str(super().clean_email())
        if not addresses.has_confirmed(self.user) and User.objects.filter(email=email).exists():
            raise get_adapter().validation_error("email_taken")
        return email

    def save(self, request: HttpRequest) -> EmailAddress:
        """Send the new address a link, and notify the old address if it is confirmed."""
        if not addresses.has_confirmed(self.user):
            return addresses.replace_unconfirmed(self.user, self.cleaned_data["email"], request)
        content = {"name": self.user.get_full_name(), "link": reverse("account_reset_password")}
        queue_email(kind="address_change", to=self.user.email, language=get_language() or "en", context=content)
        email = self.cleaned_data["email"]
        address = EmailAddress.objects.add_new_email(request, self.user, email, send_verification=False)
        addresses.send_link(request, address)
        return address


class ChangePasswordForm(PortalFormMixin, allauth_forms.ChangePasswordForm):  # type: ignore[misc]  # allauth has no types
    def clean_oldpassword(self) -> str:
        """Count the old password like a guess at signing in."""
        with counted(*password_buckets(context.request, self.user.email, self.user)):
            return str(super().clean_oldpassword())


class SetPasswordForm(PortalFormMixin, allauth_forms.SetPasswordForm):  # type: ignore[misc]  # allauth has no types
    """Set a first password."""


class ResetPasswordForm(PortalFormMixin, allauth_forms.ResetPasswordForm):  # type: ignore[misc]  # allauth has no types
    users: list[User]

    def clean_email(self) -> str:
        """Find the account by its present address only: a new, unconfirmed address may be a stranger's."""
        email = str(self.cleaned_data["email"])
        self.users = list(User.objects.filter(email=email.lower(), is_active=True))
        return email

    def save(self, request: HttpRequest, **more: Any) -> str:
        """Send an e-mail, whether or not there is an account, unless too many have gone to the address lately.

        An unused hash is made, so that the time does not show if there is an account.
        """
        make_password(secrets.token_hex(8))
        email = str(self.cleaned_data["email"])
        with suppress(TooManyGuesses):
            take((RESET_EMAILS, email.lower()))
            return str(super().save(request, **more))
        return email


class ConfirmPasswordForm(PortalFormMixin, allauth_forms.ReauthenticateForm):  # type: ignore[misc]  # allauth has no types
    """Take the password before an action for which being signed in is not enough."""


class SignUpCodeForm(PortalFormMixin, allauth_forms.ConfirmEmailVerificationCodeForm):  # type: ignore[misc]  # no types
    """Take the code from the e-mail. At most five tries are allowed, even simultaneous ones."""

    def clean_code(self) -> str:
        with counted((SENT_CODE, f"{self.email}|{self.expected_code}")):
            return str(super().clean_code())


class ResetPasswordKeyForm(PortalFormMixin, allauth_forms.ResetPasswordKeyForm):  # type: ignore[misc]  # allauth has no types
    def save(self) -> None:
        """Save the password, take the address as confirmed, and end all sessions of the account."""
        with transaction.atomic():
            User.objects.select_for_update().get(pk=self.user.pk)
            super().save()
            addresses.confirm(self.user)
            end_sessions(self.user)


def _password_hint() -> str:
    hints = []
    for validator in get_default_password_validators():
        if isinstance(validator, MinimumLengthValidator):
            hints.append(gettext("Use at least %(count)d characters.") % {"count": validator.min_length})
    hints.append(gettext("Don’t use your name, your address or a common password."))
    return " ".join(hints)
