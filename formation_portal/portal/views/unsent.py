"""What was posted after a session had ended: shown once more after signing in, to be sent on one press."""

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import Resolver404, resolve
from django.views.decorators.http import require_safe

from formation_portal.accounts import signing_in
from formation_portal.accounts.policies import UserRequest, signed_in
from formation_portal.applications.models import Application

from ..unsent_page import typed_rows


@require_safe
@signed_in
def unsent(request: UserRequest) -> HttpResponse:
    """The form as it was posted, for whoever may open the page it came from; for anybody else it is dropped.

    It stays in the session, so that a page that is loaded again still has it; signing out drops it.
    """
    kept = signing_in.unsent(request)
    if kept is None or not _may_open(request, kept.path):
        signing_in.forget(request)
        return redirect("portal:applications")
    context = {"unsent": kept, "typed": typed_rows(request, kept)}
    return render(request, "portal/unsent.html", context)


def _may_open(request: UserRequest, path: str) -> bool:
    try:
        reference = resolve(path.partition("?")[0]).kwargs.get("reference")
    except Resolver404:
        return False
    return reference is None or Application.objects.visible_to(request.user).filter(reference=reference).exists()
