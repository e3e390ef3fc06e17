"""What allauth's pages about an account's address lack."""

from typing import Any

from allauth.account import views as allauth_views
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from allauth.account.utils import get_next_redirect_url
from allauth.core import ratelimit
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import ValidationError
from django.forms import Form
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from .policies import UserRequest, signed_in


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
    """The account's e-mail address, and another in its place."""


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


@require_POST
@signed_in
def confirmation(request: UserRequest) -> HttpResponse:
    """Send the letter that asks for a confirmation again, and go back to the page that asked for it (`next`)."""
    address = EmailAddress.objects.filter(user=request.user, verified=False).order_by("-pk").first()
    if address and ratelimit.consume(request, action="confirm_email", key=address.email):
        address.send_confirmation(request)
        messages.success(request, gettext("We sent a link to %(email)s.") % {"email": address.email})
    elif address:
        said = gettext("We sent a link to %(email)s a short while ago. Check your spam folder, or try again later.")
        messages.error(request, said % {"email": address.email})
    # Not `redirect`, which takes a word for the name of a view.
    return HttpResponseRedirect(get_next_redirect_url(request) or reverse("account_email"))
