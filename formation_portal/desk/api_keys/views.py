"""Show, make and revoke API keys of the embedded service."""

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
# Beyond this, inactive keys are left out first.
_MAX_KEYS = 200


@require_http_methods(_METHODS)
@agent_with(Right.KEYS)
@recently_authenticated
def api_keys(request: UserRequest) -> HttpResponse:
    """Show the keys and the form that makes one. Only the answer to the post shows the new key itself."""
    form = ApiKeyForm(request.POST if request.method == "POST" else None)
    new_row = None
    key = ""
    if form.is_valid():
        new_row, key = make_key(by=request.user, **form.fields_of_key)
        form = ApiKeyForm()
    newest = ApiKey.objects.select_related("account").order_by("-pk")
    rows = sorted(newest, key=lambda row: row.status != "Active")[:_MAX_KEYS]
    context = {"form": form, "made": new_row, "key": key, "keys": rows, "scope_count": len(SCOPES)}
    return render(request, "desk/api_keys/api_keys.html", context, status=422 if form.is_bound else 200)


@require_http_methods(_METHODS)
@agent_with(Right.KEYS)
@recently_authenticated
def revocation(request: UserRequest, number: int) -> HttpResponse:
    """Ask whether to revoke a key; a POST revokes it. The portal's keys can't be revoked here."""
    key = get_object_or_404(ApiKey.objects.filter(is_unlimited=False, is_demo=False), pk=number)
    if request.method != "POST":
        return render(request, "desk/api_keys/revocation.html", {"key": key})
    if revoke(key.pk, by=request.user):
        messages.success(request, f"{key.name} was revoked. What it made stays.")
    else:
        messages.info(request, f"{key.name} was already revoked.")
    return redirect("desk:api_keys")
