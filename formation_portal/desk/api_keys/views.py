"""The embedded service's API keys: which there are and when each was used last, made and revoked."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.models import Right
from formation_portal.accounts.policies import UserRequest, agent_with, recently_authenticated
from formation_portal.service.auth import SCOPES
from formation_portal.service.models import ApiKey

from .forms import ApiKeyForm
from .keys import make_key, revoke

_METHODS = ["GET", "HEAD", "POST"]
# More than these are no list that anybody reads; those that open nothing are left out first.
_MOST = 200


@require_http_methods(_METHODS)
@agent_with(Right.KEYS)
@recently_authenticated
def api_keys(request: UserRequest) -> HttpResponse:
    """All keys, and the form to make one. Of a new key the answer has the only copy."""
    form, made, key = ApiKeyForm(request.POST if request.method == "POST" else None), None, ""
    if form.is_valid():
        made, key = make_key(by=request.user, **form.fields_of_key)
        form = ApiKeyForm()
    newest = ApiKey.objects.select_related("account").order_by("-pk")
    rows = sorted(newest, key=lambda one: one.status != "Active")[:_MOST]
    context = {"form": form, "made": made, "key": key, "keys": rows, "scope_count": len(SCOPES)}
    return render(request, "desk/api_keys/api_keys.html", context, status=422 if form.is_bound else 200)


@require_http_methods(_METHODS)
@agent_with(Right.KEYS)
@recently_authenticated
def revocation(request: UserRequest, number: int) -> HttpResponse:
    """Ask whether to revoke a key, and do so. What the portal itself needs is not revoked here."""
    found = get_object_or_404(ApiKey.objects.filter(is_unlimited=False, is_demo=False), pk=number)
    if request.method != "POST":
        return render(request, "desk/api_keys/revocation.html", {"found": found})
    if revoke(found.pk, by=request.user):
        messages.success(request, f"{found.name} was revoked. What it made stays.")
    else:
        messages.info(request, f"{found.name} was already revoked.")
    return redirect("desk:api_keys")
