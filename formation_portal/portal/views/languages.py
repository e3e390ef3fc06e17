"""The choice of a language."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from formation_portal.accounts.policies import public

_PAGE = "page"
_NOT_TYPED = ("language", "csrfmiddlewaretoken")


# Without a token, so that the pages of visitors need no cookie. A foreign site can change nothing but the language of
# this browser: the session doesn't come along from there, so that the account is not touched.
@csrf_exempt
@require_POST
@public
def language(request: HttpRequest) -> HttpResponse:
    """Go back to the page. That the language is kept, is seen to for every post (`accounts/languages.py`).

    A page whose form would have led to its own address, with the answers in it, is named in this one's query: it is
    opened with what was filled in so far.
    """
    if _PAGE not in request.GET:
        return redirect(_ours(request.POST.get(_PAGE, "")))
    path, _, query = _ours(request.GET[_PAGE]).partition("?")
    typed = {name: values for name, values in request.POST.lists() if name not in _NOT_TYPED and any(values)}
    return redirect(f"{path}?{'&'.join(filter(None, (query, urlencode(typed, doseq=True))))}")


def _ours(address: str) -> str:
    is_ours = url_has_allowed_host_and_scheme(address, allowed_hosts=None)
    return address if is_ours and address.startswith("/") else reverse("portal:catalog")
