"""The choice of a language."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from formation_portal.accounts.languages import remember_choice
from formation_portal.accounts.policies import public


# Without a token, so that the pages of visitors need no cookie. A foreign site can change nothing but the language of
# this browser: the session doesn't come along from there, so that the account is not touched.
@csrf_exempt
@require_POST
@public
def language(request: HttpRequest) -> HttpResponse:
    """Keep the language that was chosen, and go back to the page."""
    return remember_choice(request, redirect(_page_before(request)))


def _page_before(request: HttpRequest) -> str:
    before = request.POST.get("page", "")
    is_ours = url_has_allowed_host_and_scheme(before, allowed_hosts=None)
    return before if is_ours and before.startswith("/") else reverse("portal:catalog")
