"""Sign-in, sign-up and passwords in the portal's words. What they do is allauth's."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from allauth.account import forms as allauth_forms
from allauth.account.adapter import get_adapter
from allauth.account.models import EmailAddress
from allauth.account.utils import get_next_redirect_url
from allauth.core import context
from django import forms
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.contrib.auth.password_validation import MinimumLengthValidator, get_default_password_validators
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.http import HttpRequest, QueryDict
from django.urls import reverse
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from formation_portal import mail
from formation_portal.contract.fields.cleaning import clean_line
from formation_portal.mail.typed_text import validate_name

from . import addresses
from .guesses import RESET_LETTERS, SENT_CODE, TooManyGuesses, counted, password_buckets, take
from .languages import display_in
from .models import User
from .sessions import end_sessions

# What the names of all controls have in common that hold one.
_PASSWORD = "password"  # noqa: S105  # a word, and none that opens anything

# The controls whose text is cleaned (supplement, "Values").
_CLEANED = frozenset({"login", "email", "first_name", "last_name"})

_LABELS = {
    "login": _("E-mail address"),
    "email": _("E-mail address"),
    "remember": _("Keep me signed in on this device"),
    "oldpassword": _("Current password"),
    "password1": _("New password"),
    "password2": _("Confirm new password"),
}


class PortalFormMixin:
    """Names the fields of one of allauth's forms, and says in one line what a new password takes.

    Where a button of the display was pressed, nothing is judged or done: the form shows what was typed,
    but for passwords.
    """

    fields: dict[str, forms.Field]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        posted = kwargs.get("data")
        if posted is not None and display_in(posted):
            typed = {name: value for name, value in posted.items() if _PASSWORD not in name}
            kwargs |= {"data": None, "files": None, "initial": (kwargs.get("initial") or {}) | typed}
        elif posted is not None:
            kwargs["data"] = _cleaned(posted)
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            field.label = _LABELS.get(name, field.label)
        if "password1" in self.fields:
            self.fields["password1"].help_text = _password_hint()


class SignInForm(PortalFormMixin, allauth_forms.LoginForm):  # type: ignore[misc]  # allauth has no types
    """E-mail address, password, and whether to stay signed in on this device."""


class SignUpForm(PortalFormMixin, allauth_forms.SignupForm):  # type: ignore[misc]  # allauth has no types
    """Names as on the passport, so that a person who takes part needn't type them again. Others read them in letters,
    so they hold no addresses."""

    first_name = forms.CharField(
        label=_("First name"),
        max_length=150,
        validators=[validate_name],
        widget=forms.TextInput(attrs={"autocomplete": "given-name"}),
    )
    last_name = forms.CharField(
        label=_("Last name"),
        max_length=150,
        validators=[validate_name],
        widget=forms.TextInput(attrs={"autocomplete": "family-name"}),
    )
    cleaned_data: dict[str, Any]
    account_already_exists: bool
    field_order = ("first_name", "last_name", "email", "password1")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password1"].label = _("Password")

    def try_save(self, request: HttpRequest) -> tuple[User | None, Any]:
        """The account, or what whoever has none with this address would get, too. Where there is one already, the same
        is written and hashed, and taken back, so that neither time nor work tells."""
        if self.account_already_exists:
            with transaction.atomic():
                stand_in = self.cleaned_data | {"email": f"{secrets.token_hex(16)}@invalid.example"}
                self.cleaned_data, typed = stand_in, self.cleaned_data
                self.account_already_exists = False
                made = super().save(request)
                # What sending a new account its code asks.
                for _ in range(2):
                    EmailAddress.objects.get(user_id=made.pk, email=stand_in["email"])
                User.objects.get(pk=made.pk)
                self.cleaned_data, self.account_already_exists = typed, True
                transaction.set_rollback(True)
        try:
            return super().try_save(request)  # type: ignore[no-any-return]
        except ValidationError:
            if not settings.ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED:
                raise
            # Another process has been faster.
            self.account_already_exists = True
            return super().try_save(request)  # type: ignore[no-any-return]

    def save(self, request: HttpRequest) -> User:
        """The account. Raises ValidationError where another process has made one with the address since it was read."""
        with _refuse_if_taken(), transaction.atomic():
            user: User = super().save(request)
        if following := get_next_redirect_url(request):
            addresses.after_confirming(request, following)
        return user


class AddEmailForm(PortalFormMixin, allauth_forms.AddEmailForm):  # type: ignore[misc]  # allauth has no types
    """The address that takes the place of the account's own: at once where that was never confirmed, else once the new
    one is."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["email"].label = _("New e-mail address")

    def clean_email(self) -> str:
        """One that is nobody else's, where it is to be the account's own at once."""
        email = str(super().clean_email())
        if not addresses.has_confirmed(self.user) and User.objects.filter(email=email).exists():
            raise get_adapter().validation_error("email_taken")
        return email

    def save(self, request: HttpRequest) -> EmailAddress:
        """Ask the new address for a confirmation, and tell the one that is confirmed. Raises ValidationError where
        another process has given somebody the address since it was read."""
        if not addresses.has_confirmed(self.user):
            with _refuse_if_taken():
                return addresses.replace_unconfirmed(self.user, self.cleaned_data["email"], request)
        letter = {"name": self.user.get_full_name(), "link": reverse("account_reset_password")}
        mail.queue_letter(kind="address_change", to=self.user.email, language=get_language() or "en", context=letter)
        return addresses.replace_confirmed(self.user, self.cleaned_data["email"], request)


class ChangePasswordForm(PortalFormMixin, allauth_forms.ChangePasswordForm):  # type: ignore[misc]  # allauth has no types
    """The old password, and the new one twice."""

    def clean_oldpassword(self) -> str:
        """Counted as a guess at signing in is. Raises TooManyGuesses."""
        request = context.request
        with counted(*password_buckets(request, self.user.email, self.user)):
            return str(super().clean_oldpassword())


class SetPasswordForm(PortalFormMixin, allauth_forms.SetPasswordForm):  # type: ignore[misc]  # allauth has no types
    """A first password, twice."""


class ResetPasswordForm(PortalFormMixin, allauth_forms.ResetPasswordForm):  # type: ignore[misc]  # allauth has no types
    """Where to send the link."""

    users: list[User]

    def clean_email(self) -> str:
        """No account is opened by an address that it is only about to have: that may be a stranger's."""
        email = str(self.cleaned_data["email"])
        self.users = list(User.objects.filter(email=email.lower(), is_active=True))
        return email

    def save(self, request: HttpRequest, **more: Any) -> str:
        """One letter, whether or not there is an account; none where as many as help have gone to the address. A hash
        is made for nothing: beside it nobody can tell what else was done."""
        make_password(secrets.token_hex(8))
        email = str(self.cleaned_data["email"])
        with suppress(TooManyGuesses):
            take((RESET_LETTERS, email.lower()))
            return str(super().save(request, **more))
        return email


class ConfirmPasswordForm(PortalFormMixin, allauth_forms.ReauthenticateForm):  # type: ignore[misc]  # allauth has no types
    """The password, before something that takes more than a session."""


class SignUpCodeForm(PortalFormMixin, allauth_forms.ConfirmEmailVerificationCodeForm):  # type: ignore[misc]  # no types
    """The code of the letter. It has five tries, also when they come at once."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["code"].label = _("Code")

    def clean_code(self) -> str:
        with counted((SENT_CODE, f"{self.email}|{self.expected_code}")):
            return str(super().clean_code())


class ResetPasswordKeyForm(PortalFormMixin, allauth_forms.ResetPasswordKeyForm):  # type: ignore[misc]  # allauth has no types
    """The new password, twice, after the link."""

    def save(self) -> None:
        """Whoever has followed the link reads the account's mail: its address is confirmed. Everybody else is out:
        sessions end with the old password, and no other address can become the account's."""
        with transaction.atomic():
            User.objects.select_for_update().get(pk=self.user.pk)
            super().save()
            addresses.confirm(self.user)
            end_sessions(self.user)


def _cleaned(posted: QueryDict) -> QueryDict:
    """Return the posted data with clean names and addresses. Passwords and codes stay as they were typed."""
    cleaned = posted.copy()
    for name in _CLEANED.intersection(cleaned):
        cleaned[name] = clean_line(str(cleaned[name]))
    return cleaned


@contextmanager
def _refuse_if_taken() -> Iterator[None]:
    """Around a transaction that gives an account its address. Raises ValidationError where somebody else has it."""
    try:
        yield
    except IntegrityError as error:
        raise get_adapter().validation_error("email_taken") from error


def _password_hint() -> str:
    lengths = [one.min_length for one in get_default_password_validators() if isinstance(one, MinimumLengthValidator)]
    least = gettext("Use at least %(count)d characters.") % {"count": max(lengths)} if lengths else ""
    others = gettext("Don’t use your name, your address or a common password.")
    return f"{least} {others}".strip()
