"""Second factors, implemented by allauth, with limits of guesses, reports of changes, and encryption."""

import json
import logging
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, ClassVar

import qrcode  # type: ignore[import-untyped]
from allauth.account.adapter import get_adapter as get_account_adapter
from allauth.account.internal.flows.login import get_authentication_records, record_authentication
from allauth.core import context
from allauth.core.internal.cryptokit import compare_user_code
from allauth.mfa import signals
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.adapter import get_adapter as get_mfa_adapter
from allauth.mfa.base import forms as base_forms
from allauth.mfa.models import Authenticator
from allauth.mfa.totp import forms as totp_forms
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from allauth.mfa.webauthn import forms as webauthn_forms
from allauth.mfa.webauthn.internal.auth import parse_authentication_response
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.core.exceptions import BadRequest
from django.core.validators import MaxLengthValidator
from django.db import transaction
from django.db.models.signals import post_init, post_save, pre_save
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.deprecation import MiddlewareMixin
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from qrcode.image.svg import SvgPathFillImage  # type: ignore[import-untyped]

from formation_portal.audit import chain
from formation_portal.audit.models import AuditAction
from formation_portal.core.encryption import UnreadableError, decrypt, encrypt, has_newest_key
from formation_portal.core.key_rotation import rotation_task

from .forms import PortalFormMixin
from .guesses import SIGN_IN_CODES, Bucket, code_buckets, counted, give_back, take
from .models import User
from .sessions import end_other_sessions

# The session's entry with the URL to go to after an agent has set up a first factor.
AFTER_SET_UP = "after_second_factor"

_MAX_NAME_LENGTH = 100
# The most objects and lists in a passkey's credential: browsers send fewer than ten.
_MAX_BRACKETS = 100
_TYPES = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)

_PAGES = "accounts/2fa/"
# The pages below this path where a second factor is used.
_OPEN_PAGES = frozenset({"mfa_authenticate", "mfa_login_webauthn", "mfa_reauthenticate", "mfa_reauthenticate_webauthn"})

logger = logging.getLogger(__name__)


class UnreadableFactorError(Exception):
    """A factor that can't be decrypted: its key is gone, or its row was altered or copied from another row."""


@receiver(pre_save, sender=Authenticator)
def _encrypt_factor(instance: Authenticator, **_: Any) -> None:
    instance.data = encrypt(json.dumps(instance.data).encode(), _encryption_context(instance))


@receiver((post_init, post_save), sender=Authenticator)
def _decrypt_factor(instance: Authenticator, **_: Any) -> None:
    if instance.pk is None or "data" not in instance.__dict__:
        return
    try:
        instance.data = json.loads(decrypt(str(instance.data), _encryption_context(instance)))
    except UnreadableError as error:
        raise UnreadableFactorError(
            f"Second factor {instance.pk} of account {instance.user_id} cannot be read: its key is gone, it was "
            "altered, or it is another row's. Once you know why: manage.py account forget-second-factor"
        ) from error


def _encryption_context(factor: Authenticator) -> str:
    return f"mfa.Authenticator.data\x1f{factor.user_id}\x1f{factor.type}"


class MFAAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # allauth has no types
    error_messages = DefaultMFAAdapter.error_messages | {
        "cannot_delete_authenticator": _("Agents need a second factor. Add another one before you remove this one."),
        "incorrect_code": _("This code is wrong, or was used before. Enter the latest code."),
        "unverified_email": _("Confirm your e-mail address first."),
    }

    def _get_site_name(self) -> str:
        return str(settings.OPERATOR_NAME)

    def build_totp_svg(self, url: str) -> str:
        """Draw the QR code on white, so that it can be scanned on dark pages too."""
        return str(qrcode.make(url, image_factory=SvgPathFillImage).to_string(encoding="unicode"))

    def can_delete_authenticator(self, authenticator: Authenticator) -> bool:
        """Refuse to delete an agent's last factor."""
        return not is_required(authenticator.user) or _authenticators(authenticator.user).count() > 1

    def generate_authenticator_name(self, user: User, type: Authenticator.Type) -> str:
        count = Authenticator.objects.filter(user_id=user.pk, type=type).count()
        if count == 0:
            return gettext("Passkey")
        return gettext("Passkey %(number)d") % {"number": count + 1}


@rotation_task
def reencrypt() -> None:
    for key, stored in Authenticator.objects.values_list("pk", "data"):
        if has_newest_key(str(stored)):
            continue
        with transaction.atomic(), suppress(UnreadableFactorError):
            factor = Authenticator.objects.select_for_update().filter(pk=key).first()
            if factor is not None:
                factor.save(update_fields=["data"])


def is_required(user: User) -> bool:
    return bool(settings.AGENT_SECOND_FACTOR and user.is_agent)


def is_set_up(user: User) -> bool:
    return bool(_authenticators(user).exists())


def is_verified(request: HttpRequest) -> bool:
    """Tell whether a second factor was used in this session, without an SQL query."""
    return any(record["method"] == "mfa" for record in get_authentication_records(request, request.user))


def may_change(request: HttpRequest, user: User) -> bool:
    """Lock the account. Return True if this session is still valid, and has used a factor if the account has any."""
    account = User.objects.select_for_update().filter(pk=user.pk).first()
    if account is None or account.get_session_auth_hash() != user.get_session_auth_hash():
        return False
    return is_verified(request) or not is_set_up(account)


def second_factor_url(request: HttpRequest) -> str:
    """Return the URL of the page that takes the second factor, or of the overview if none is set up."""
    types = set(_authenticators(request.user).values_list("type", flat=True))
    if not types:
        return reverse("mfa_index")
    if Authenticator.Type.TOTP in types:
        return reverse("mfa_reauthenticate")
    return reverse("mfa_reauthenticate_webauthn")


def _authenticators(user: Any) -> Any:
    return Authenticator.objects.filter(user_id=user.pk, type__in=_TYPES)


class SecondFactorPages(MiddlewareMixin):
    """Ask for a second factor before the pages about factors. Signs the user out if a factor can't be decrypted."""

    def process_view(self, request: HttpRequest, *_: Any) -> HttpResponse | None:
        page = request.resolver_match
        if page is None or not page.route.startswith(_PAGES) or page.url_name in _OPEN_PAGES:
            return None
        if not request.user.is_authenticated or is_verified(request) or not is_set_up(request.user):
            return None
        return redirect(f"{second_factor_url(request)}?{urlencode({'next': request.get_full_path()})}")

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, UnreadableFactorError):
            return None
        logger.error("%s", exception)
        logout(request)
        messages.error(request, gettext("We can’t check your two-step sign-in. Contact us."))
        return redirect(settings.LOGIN_URL)


@receiver(signals.authenticator_added)
def _trust_only_this_session(request: HttpRequest, user: User, authenticator: Authenticator, **_: Any) -> None:
    """Count a new factor as used in this session, and end the account's other sessions."""
    with transaction.atomic():
        if authenticator.type in _TYPES:
            record_authentication(request, user, "mfa", id=authenticator.pk, type=authenticator.type)
            end_other_sessions(request, user)
        _log(user, f"{authenticator.type}_added")


@receiver(signals.authenticator_removed)
def _log_removal(user: User, authenticator: Authenticator, **_: Any) -> None:
    _log(user, f"{authenticator.type}_removed")


@receiver(signals.authenticator_reset)
def _log_new_recovery_codes(user: User, **_: Any) -> None:
    _log(user, "recovery_codes_generated")


@receiver(signals.authenticator_used)
def _report_recovery_code(request: HttpRequest, user: User, authenticator: Authenticator, **_: Any) -> None:
    if authenticator.type == Authenticator.Type.RECOVERY_CODES:
        report(request, user, "recovery_code_used")


def report(request: HttpRequest, user: User, event: str) -> None:
    """Report an event to the account's owner and to the audit log."""
    with transaction.atomic():
        get_account_adapter(request).send_notification_mail(f"mfa/email/{event}", user)
        _log(user, event)


def _log(user: User, event: str) -> None:
    chain.append(AuditAction.SECOND_FACTOR, by=user, application=None, subject=user.pk, did=event)


# The entry of an app's data with the newest time step (half a minute) whose code was used.
_USED_STEP = "used"


def _matching_step(secret: str, code: str) -> int | None:
    for step in yield_hotp_counters_from_time():
        if compare_user_code(actual=code, expected=format_hotp_value(hotp_value(secret, step))):
            return int(step)
    return None


def _use_app_code(authenticator: Authenticator, code: str) -> bool:
    """Tell whether the code is current and newer than every used code, and mark it as used."""
    with transaction.atomic():
        app = Authenticator.objects.select_for_update().get(pk=authenticator.pk)
        step = _matching_step(app.data["secret"], code)
        if step is None or step <= app.data.get(_USED_STEP, 0):
            return False
        app.data[_USED_STEP] = step
        app.save(update_fields=["data"])
    return True


class _CodeFormMixin(PortalFormMixin):
    """Take an app's code or a recovery code, each valid once. Each try is counted before the code is checked."""

    help_texts: ClassVar[Mapping[str, Any]] = {
        "code": _("Six digits from your authenticator app, or one of your recovery codes.")
    }
    user: User
    authenticator: Authenticator
    cleaned_data: dict[str, Any]

    def clean_code(self) -> str:
        code = str(self.cleaned_data["code"])
        buckets = self._buckets()
        taken_at = take(*buckets)
        for factor in Authenticator.objects.filter(user=self.user).exclude(type=Authenticator.Type.WEBAUTHN):
            is_app = factor.type == Authenticator.Type.TOTP
            if _use_app_code(factor, code) if is_app else factor.wrap().validate_code(code):
                give_back(taken_at, *buckets)
                self.authenticator = Authenticator.objects.get(pk=factor.pk)
                return code
        raise get_mfa_adapter().validation_error("incorrect_code")

    def _buckets(self) -> tuple[Bucket, ...]:
        return code_buckets(context.request, self.user)


class CodeForm(_CodeFormMixin, base_forms.AuthenticateForm):  # type: ignore[misc]  # allauth has no types
    """Take the code after the password. A sign-in allows five tries."""

    def _buckets(self) -> tuple[Bucket, ...]:
        login = context.request._login_stage.login
        return ((SIGN_IN_CODES, f"{self.user.pk}|{login.initiated_at}"), *super()._buckets())


class ConfirmCodeForm(_CodeFormMixin, base_forms.ReauthenticateForm):  # type: ignore[misc]  # allauth has no types
    """Take a code before an action for which being signed in is not enough."""


class AddAppForm(PortalFormMixin, totp_forms.ActivateTOTPForm):  # type: ignore[misc]  # allauth has no types
    labels: ClassVar[Mapping[str, Any]] = {"code": _("Code from the app")}
    step: int

    def clean_code(self) -> str:
        code = str(self.cleaned_data["code"])
        with counted(*code_buckets(context.request, self.user)):
            step = _matching_step(self.secret, code)
            if step is None:
                raise get_mfa_adapter().validation_error("incorrect_code")
        self.step = step
        return code

    def mark_as_used(self) -> None:
        app = Authenticator.objects.get(user=self.user, type=Authenticator.Type.TOTP)
        app.data[_USED_STEP] = self.step
        app.save(update_fields=["data"])


class CredentialDecoder(json.JSONDecoder):
    """A decoder that raises BadRequest for too many objects and lists, and for a number that is too long."""

    def decode(self, text: str) -> Any:  # type: ignore[override]  # called with the text alone
        if text.count("[") + text.count("{") > _MAX_BRACKETS:
            raise BadRequest("A passkey's credential has too many objects and lists")
        try:
            return super().decode(text)
        except json.JSONDecodeError:
            raise
        except ValueError as error:
            raise BadRequest("A passkey's credential has a number that is too long") from error


class _CredentialFormMixin:
    fields: dict[str, Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["credential"].decoder = CredentialDecoder


class PasskeyForm(_CredentialFormMixin, webauthn_forms.AuthenticateWebAuthnForm):  # type: ignore[misc]  # no types
    """Take a passkey as the second step of signing in."""


class PasskeySignInForm(_CredentialFormMixin, webauthn_forms.LoginWebAuthnForm):  # type: ignore[misc]  # no types
    """Sign in by passkey alone. The passkey must verify its holder by fingerprint, face or PIN.

    The challenge may come from the page after the password, which asks for no such verification.
    """

    cleaned_data: dict[str, Any]

    def clean_credential(self) -> Authenticator:
        authenticator = super().clean_credential()
        response = parse_authentication_response(self.cleaned_data["credential"]).response
        if not response.authenticator_data.is_user_verified():
            raise get_mfa_adapter().validation_error("incorrect_code")
        return authenticator


class ConfirmPasskeyForm(_CredentialFormMixin, webauthn_forms.ReauthenticateWebAuthnForm):  # type: ignore[misc]  # no types
    """Take a passkey before an action for which being signed in is not enough."""


class RenamePasskeyForm(PortalFormMixin, webauthn_forms.EditWebAuthnForm):  # type: ignore[misc]  # allauth has no types
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].validators.append(MaxLengthValidator(_MAX_NAME_LENGTH))


class AddPasskeyForm(_CredentialFormMixin, PortalFormMixin, webauthn_forms.AddWebAuthnForm):  # type: ignore[misc]  # allauth has no types
    labels: ClassVar[Mapping[str, Any]] = {"passwordless": _("Sign in with this passkey alone, without a password")}
    help_texts: ClassVar[Mapping[str, Any]] = {
        "name": _("So that you know it again, like “Telephone”."),
        "passwordless": "",
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].validators.append(MaxLengthValidator(_MAX_NAME_LENGTH))
        self.fields["passwordless"].initial = True
