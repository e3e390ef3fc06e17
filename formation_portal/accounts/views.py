"""What allauth's pages lack: an answer to who has guessed too often, an account's one address, the list of its
sessions, and second factors that agents keep.
"""

from http import HTTPStatus
from typing import Any

from allauth.account import views as allauth_views
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
from django.core.exceptions import ValidationError
from django.db import transaction
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


class _TooMany:
    """Whoever has guessed too often reads when they may go on: the form, with what may be kept of it, as a 429."""

    request: HttpRequest

    def form_invalid(self, form: Form) -> HttpResponse:
        response: HttpResponse = super().form_invalid(form)  # type: ignore[misc]  # allauth's view
        waits = [one.seconds for one in _errors(form) if isinstance(one, TooManyGuesses)]
        if waits:
            response.status_code = HTTPStatus.TOO_MANY_REQUESTS
            response.headers["Retry-After"] = str(max(waits))
        return response


def _errors(form: Form) -> list[ValidationError]:
    return [error for errors in form.errors.as_data().values() for error in errors]


class SignIn(_TooMany, allauth_views.LoginView):  # type: ignore[misc]  # allauth has no types
    """E-mail address and password."""


class ConfirmPassword(_TooMany, allauth_views.ReauthenticateView):  # type: ignore[misc]  # allauth has no types
    """The password once more."""


class ChangePassword(_TooMany, allauth_views.PasswordChangeView):  # type: ignore[misc]  # allauth has no types
    """Another password in place of the one that is known."""


@method_decorator(recently_authenticated, name="dispatch")
class SetPassword(allauth_views.PasswordSetView):  # type: ignore[misc]  # allauth has no types
    """A password for an account without one."""


class ResetPassword(_TooMany, allauth_views.PasswordResetView):  # type: ignore[misc]  # allauth has no types
    """A letter with the way to a new password."""

    def form_valid(self, form: Form) -> HttpResponse:
        try:
            take((RESET_ADDRESS, client_address(self.request)))
        except TooManyGuesses as full:
            form.add_error(None, full)
            return self.form_invalid(form)
        return super().form_valid(form)  # type: ignore[no-any-return]


class _TakenMeanwhile:
    """Whose address was taken while the form was saved reads the same as whose was taken before."""

    def form_valid(self, form: Form) -> HttpResponse:
        try:
            return super().form_valid(form)  # type: ignore[misc,no-any-return]  # allauth's view
        except ValidationError as taken:
            form.add_error("email", taken)
            return self.form_invalid(form)  # type: ignore[attr-defined,no-any-return]  # allauth's view


class SignUp(_TakenMeanwhile, allauth_views.SignupView):  # type: ignore[misc]  # allauth has no types
    """A new account."""


class ChangeAddress(_TakenMeanwhile, allauth_views.EmailView):  # type: ignore[misc]  # allauth has no types
    """The account's e-mail address, and another in its place; and the ways to all else that an account has."""

    def get_success_url(self) -> str:
        """Its own page, also where signing up takes a code: another address is confirmed by a link."""
        return str(self.success_url)

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        """And whether a second factor is set up."""
        context: dict[str, Any] = super().get_context_data(**more)
        return context | {"has_second_factor": second_factor.has_one(self.request.user)}


class ConfirmEmail(allauth_views.ConfirmEmailView):  # type: ignore[misc]  # allauth has no types
    """Confirming takes the letter and the account: whoever gets a letter about an account that a stranger has made in
    their name can't confirm it for the stranger."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        found = EmailConfirmationHMAC.from_key(kwargs["key"])
        if found is None or found.email_address.user_id == request.user.pk:
            return super().dispatch(request, *args, **kwargs)  # type: ignore[no-any-return]
        if request.user.is_authenticated:
            return render(request, "account/email_confirm.html", {"is_for_another": True}, status=403)
        messages.info(request, gettext("Sign in to confirm the address."))
        return redirect_to_login(request.get_full_path())

    def get_object(self, queryset: Any = None) -> EmailConfirmationHMAC:
        """Of a link, also where signing up takes a code. Raises Http404."""
        found = EmailConfirmationHMAC.from_key(self.kwargs["key"])
        if found is None:
            raise Http404
        return found


@require_POST
@signed_in
def confirmation(request: UserRequest) -> HttpResponse:
    """Send the letter that asks for a confirmation again, and go back to the page that asked for it (`next`)."""
    address = EmailAddress.objects.filter(user=request.user, verified=False).order_by("-pk").first()
    if address and not addresses.send_link(request, address):
        said = gettext("We sent a link to %(email)s a short while ago. Check your spam folder, or try again later.")
        messages.error(request, said % {"email": address.email})
    # Not `redirect`, which takes a word for the name of a view.
    return HttpResponseRedirect(get_next_redirect_url(request) or reverse("account_email"))


class UseSecondFactor(mfa_views.AuthenticateView):  # type: ignore[misc]  # allauth has no types
    """The second step of signing in. After five wrong codes it begins with the password again."""

    def form_invalid(self, form: Form) -> HttpResponse:
        """The form, or the way back."""
        full = next((one for one in _errors(form) if isinstance(one, TooManyGuesses)), None)
        if full is None:
            return super().form_invalid(form)  # type: ignore[no-any-return]
        messages.error(self.request, full.messages[0])
        return self.stage.abort()  # type: ignore[no-any-return]


class ConfirmCode(_TooMany, mfa_views.ReauthenticateView):  # type: ignore[misc]  # allauth has no types
    """A code before something that takes more than a session."""


class _ChangeFactors:
    """Change the account's factors under its lock: of two sessions that pass the middleware at once one succeeds."""

    def post(self, request: UserRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        with transaction.atomic():
            if second_factor.may_change(request, request.user):
                return super().post(request, *args, **kwargs)  # type: ignore[misc,no-any-return]  # allauth's view
        return redirect(request.path)


class AddApp(_ChangeFactors, _TooMany, ActivateTOTPView):  # type: ignore[misc]  # allauth has no types
    """An authenticator app, set up by its first code, which is used with it."""

    def form_valid(self, form: second_factor.AddAppForm) -> HttpResponse:
        """Its session begins anew, since it may do more."""
        response: HttpResponse = super().form_valid(form)
        form.mark_as_used()
        return response


class RemoveApp(_ChangeFactors, DeactivateTOTPView):  # type: ignore[misc]  # allauth has no types
    """The authenticator app goes, unless it is all that an agent has."""


class AddPasskey(_ChangeFactors, AddWebAuthnView):  # type: ignore[misc]  # allauth has no types
    """A new passkey."""


class MakeRecoveryCodes(_ChangeFactors, GenerateRecoveryCodesView):  # type: ignore[misc]  # allauth has no types
    """Ten new recovery codes in place of the old ones."""


class _ReportedCodes:
    """Hand recovery codes out to a session that has used a factor, and report it to the owner and the audit log."""

    def get(self, request: UserRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response: HttpResponse = super().get(request, *args, **kwargs)  # type: ignore[misc]  # allauth's view
        if not second_factor.has_passed(request):
            # The factor was set up after the middleware had looked for one.
            return redirect(second_factor.way_in(request))
        second_factor.report(request, request.user, "recovery_codes_shown")
        return response


@method_decorator(recently_authenticated, name="dispatch")
class ShowRecoveryCodes(_ReportedCodes, ViewRecoveryCodesView):  # type: ignore[misc]  # allauth has no types
    """Show the recovery codes that were not used yet."""


@method_decorator(recently_authenticated, name="dispatch")
class DownloadRecoveryCodes(_ReportedCodes, DownloadRecoveryCodesView):  # type: ignore[misc]  # allauth has no types
    """Hand out the recovery codes as a file."""


class RemovePasskey(_ChangeFactors, RemoveWebAuthnView):  # type: ignore[misc]  # allauth has no types
    """A passkey goes, unless it is all that an agent has."""

    def form_valid(self, form: Form) -> HttpResponse:
        """Back to the list in both cases."""
        if get_mfa_adapter().can_delete_authenticator(self.object):
            return super().form_valid(form)  # type: ignore[no-any-return]
        messages.error(self.request, str(get_mfa_adapter().error_messages["cannot_delete_authenticator"]))
        return HttpResponseRedirect(self.get_success_url())


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def sessions(request: UserRequest) -> HttpResponseBase:
    """Where the account is signed in; and, posted, the end of one of them (`session`) or of all others."""
    if request.method == "POST":
        return _end_sessions(request)
    current = key_digest(request.session.session_key or "")
    devices = listed_sessions(request.user)
    devices.sort(key=lambda device: (device.session_key == current, device.last_seen_at), reverse=True)
    return render(request, "usersessions/usersession_list.html", {"sessions": devices, "current": current})


@recently_authenticated
def _end_sessions(request: UserRequest) -> HttpResponse:
    """End one or all others, and go back to the list. This one ends by signing out."""
    if "all" in request.POST:
        end_other_sessions(request, request.user)
        messages.success(request, gettext("Signed out on all other devices."))
        return redirect("usersessions_list")
    own = key_digest(request.session.session_key or "")
    others = UserSession.objects.filter(user=request.user).exclude(session_key=own)
    chosen = others.filter(pk=parse_integer(request.POST.get("session", "")))
    if chosen.exists():
        end_listed(chosen)
        messages.success(request, gettext("Signed out there."))
    else:
        messages.info(request, gettext("You were signed out there already."))
    return redirect("usersessions_list")
