"""The pages of accounts: allauth's, with limits of guesses, a single address, and a last factor that agents keep."""

from http import HTTPStatus
from typing import Any

from allauth.account import views as allauth_views
from allauth.account.adapter import get_adapter
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from allauth.account.utils import get_next_redirect_url
from allauth.mfa.adapter import get_adapter as get_mfa_adapter
from allauth.mfa.base import views as mfa_views
from allauth.mfa.recovery_codes.views import (
    DownloadRecoveryCodesView,
    GenerateRecoveryCodesView,
    ViewRecoveryCodesView,
)
from allauth.mfa.totp.views import ActivateTOTPView, DeactivateTOTPView
from allauth.mfa.webauthn.views import AddWebAuthnView, RemoveWebAuthnView
from allauth.usersessions.models import UserSession
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.db import IntegrityError, transaction
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from formation_portal.core.integers import parse_integer

from . import addresses, second_factor
from .guesses import RESET_ADDRESS, TooManyGuesses, client_address, take
from .policies import UserRequest, recently_authenticated, signed_in
from .sessions import end_listed, end_other_sessions, key_digest, listed_sessions


def _too_many_guesses(form: Form) -> TooManyGuesses | None:
    for errors in form.errors.as_data().values():
        for error in errors:
            if isinstance(error, TooManyGuesses):
                return error
    return None


class _LimitedGuessesMixin:
    """Answer too many guesses with 429 and the form, which shows what was typed except secrets."""

    request: HttpRequest

    def form_invalid(self, form: Form) -> HttpResponse:
        response: HttpResponse = super().form_invalid(form)  # type: ignore[misc]  # allauth's view
        if error := _too_many_guesses(form):
            response.status_code = HTTPStatus.TOO_MANY_REQUESTS
            response.headers["Retry-After"] = str(error.seconds)
        return response


class SignIn(_LimitedGuessesMixin, allauth_views.LoginView):  # type: ignore[misc]  # allauth has no types
    """Sign in by e-mail address and password."""


class ConfirmPassword(_LimitedGuessesMixin, allauth_views.ReauthenticateView):  # type: ignore[misc]  # allauth has no types
    """Ask for the password again."""


class ChangePassword(_LimitedGuessesMixin, allauth_views.PasswordChangeView):  # type: ignore[misc]  # allauth has no types
    """Set a new password, given the current password."""


@method_decorator(recently_authenticated, name="dispatch")
class SetPassword(allauth_views.PasswordSetView):  # type: ignore[misc]  # allauth has no types
    """Set a password for an account without one."""


class ResetPassword(_LimitedGuessesMixin, allauth_views.PasswordResetView):  # type: ignore[misc]  # allauth has no types
    def form_valid(self, form: Form) -> HttpResponse:
        try:
            take((RESET_ADDRESS, client_address(self.request)))
        except TooManyGuesses as error:
            form.add_error(None, error)
            return self.form_invalid(form)
        return super().form_valid(form)  # type: ignore[no-any-return]


class _TakenAddressMixin:
    """Show the usual error if another account got the address while the form was saved."""

    def form_valid(self, form: Form) -> HttpResponse:
        try:
            return super().form_valid(form)  # type: ignore[misc,no-any-return]  # allauth's view
        except IntegrityError:
            form.add_error("email", get_adapter().validation_error("email_taken"))
            return self.form_invalid(form)  # type: ignore[attr-defined,no-any-return]  # allauth's view


class SignUp(_TakenAddressMixin, allauth_views.SignupView):  # type: ignore[misc]  # allauth has no types
    """Make a new account."""


class ChangeAddress(_TakenAddressMixin, allauth_views.EmailView):  # type: ignore[misc]  # allauth has no types
    def get_success_url(self) -> str:
        """Return this page's URL, even if signing up takes a code: a new address is confirmed by a link."""
        return str(self.success_url)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)
        return context | {"has_second_factor": second_factor.is_set_up(self.request.user)}


class ConfirmEmail(allauth_views.ConfirmEmailView):  # type: ignore[misc]  # allauth has no types
    """Confirm an address by its link, only when signed in to its account: nobody confirms it for a stranger."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        link = EmailConfirmationHMAC.from_key(kwargs["key"])
        if link is None or link.email_address.user_id == request.user.pk:
            return super().dispatch(request, *args, **kwargs)  # type: ignore[no-any-return]
        if request.user.is_authenticated:
            return render(request, "account/email_confirm.html", {"is_for_another": True}, status=403)
        messages.info(request, gettext("Sign in to confirm the address."))
        return redirect_to_login(request.get_full_path())

    def get_object(self, queryset: Any = None) -> EmailConfirmationHMAC:
        link = EmailConfirmationHMAC.from_key(self.kwargs["key"])
        if link is None:
            raise Http404
        return link


@require_POST
@signed_in
def confirmation(request: UserRequest) -> HttpResponse:
    """Send the confirmation e-mail again, and go back (`next`)."""
    address = EmailAddress.objects.filter(user=request.user, verified=False).order_by("-pk").first()
    if address and not addresses.send_link(request, address):
        message = gettext("We sent a link to %(email)s a short while ago. Check your spam folder, or try again later.")
        messages.error(request, message % {"email": address.email})
    # `redirect` would take a plain word for the name of a view.
    return HttpResponseRedirect(get_next_redirect_url(request) or reverse("account_email"))


class UseSecondFactor(mfa_views.AuthenticateView):  # type: ignore[misc]  # allauth has no types
    """Ask for the second step of signing in. After five wrong codes, the user starts again with the password."""

    def form_invalid(self, form: Form) -> HttpResponse:
        error = _too_many_guesses(form)
        if error is None:
            return super().form_invalid(form)  # type: ignore[no-any-return]
        messages.error(self.request, error.messages[0])
        return self.stage.abort()  # type: ignore[no-any-return]


class ConfirmCode(_LimitedGuessesMixin, mfa_views.ReauthenticateView):  # type: ignore[misc]  # allauth has no types
    """Ask for a code before an action for which being signed in is not enough."""


class _ChangeFactorsMixin:
    """Change the account's factors while it is locked, so that only one of two simultaneous changes succeeds."""

    def post(self, request: UserRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        with transaction.atomic():
            if second_factor.may_change(request, request.user):
                return super().post(request, *args, **kwargs)  # type: ignore[misc,no-any-return]  # allauth's view
        return redirect(request.path)


class AddApp(_ChangeFactorsMixin, _LimitedGuessesMixin, ActivateTOTPView):  # type: ignore[misc]  # allauth has no types
    """Set up an authenticator app by its first code, which then counts as used."""

    def form_valid(self, form: second_factor.AddAppForm) -> HttpResponse:
        response: HttpResponse = super().form_valid(form)
        form.mark_as_used()
        return response


class RemoveApp(_ChangeFactorsMixin, DeactivateTOTPView):  # type: ignore[misc]  # allauth has no types
    """Remove the authenticator app, unless it is an agent's only factor."""


class AddPasskey(_ChangeFactorsMixin, AddWebAuthnView):  # type: ignore[misc]  # allauth has no types
    """Add a passkey."""


class MakeRecoveryCodes(_ChangeFactorsMixin, GenerateRecoveryCodesView):  # type: ignore[misc]  # allauth has no types
    """Replace the recovery codes by ten new ones."""


class _ReportedCodesMixin:
    """Show recovery codes to a session that has used a factor, and report this to the owner and the audit log."""

    def get(self, request: UserRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response: HttpResponse = super().get(request, *args, **kwargs)  # type: ignore[misc]  # allauth's view
        if not second_factor.is_verified(request):
            # The account's factor was set up after the middleware had looked for one.
            return redirect(second_factor.second_factor_url(request))
        second_factor.report(request, request.user, "recovery_codes_shown")
        return response


@method_decorator(recently_authenticated, name="dispatch")
class ShowRecoveryCodes(_ReportedCodesMixin, ViewRecoveryCodesView):  # type: ignore[misc]  # allauth has no types
    """Show the unused recovery codes."""


@method_decorator(recently_authenticated, name="dispatch")
class DownloadRecoveryCodes(_ReportedCodesMixin, DownloadRecoveryCodesView):  # type: ignore[misc]  # allauth has no types
    """Hand out the recovery codes as a file."""


class RemovePasskey(_ChangeFactorsMixin, RemoveWebAuthnView):  # type: ignore[misc]  # allauth has no types
    """Remove a passkey, unless it is an agent's only factor."""

    def form_valid(self, form: Form) -> HttpResponse:
        if get_mfa_adapter().can_delete_authenticator(self.object):
            return super().form_valid(form)  # type: ignore[no-any-return]
        messages.error(self.request, str(get_mfa_adapter().error_messages["cannot_delete_authenticator"]))
        return HttpResponseRedirect(self.get_success_url())


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def sessions(request: UserRequest) -> HttpResponseBase:
    """List the account's sessions. A POST ends one of them (`session`), or all but the current session."""
    if request.method == "POST":
        return _end_sessions(request)
    current = key_digest(request.session.session_key or "")
    devices = listed_sessions(request.user)
    devices.sort(key=lambda device: (device.session_key == current, device.last_seen_at), reverse=True)
    return render(request, "usersessions/usersession_list.html", {"sessions": devices, "current": current})


@recently_authenticated
def _end_sessions(request: UserRequest) -> HttpResponse:
    """End all other sessions (`all`) or one of them (`session`). Only signing out ends the current session."""
    if "all" in request.POST:
        end_other_sessions(request, request.user)
        messages.success(request, gettext("Signed out on all other devices."))
        return redirect("usersessions_list")
    devices = UserSession.objects.filter(user=request.user, pk=parse_integer(request.POST.get("session", "")))
    devices = devices.exclude(session_key=key_digest(request.session.session_key or ""))
    if devices.exists():
        end_listed(devices)
        messages.success(request, gettext("Signed out there."))
    else:
        messages.info(request, gettext("You were signed out there already."))
    return redirect("usersessions_list")
