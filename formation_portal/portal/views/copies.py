"""Copying an application: the question, which says what is copied, and the copy."""

from datetime import timedelta

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.applications import services
from formation_portal.applications.history import HistoryEntry
from formation_portal.applications.models import Application
from formation_portal.contract.language import say

from ..copy_page import copy_page
from ..finding import draft_of

# A second press within this time means the same application.
_SAME_PRESS = timedelta(seconds=10)


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def copy(request: UserRequest, reference: str) -> HttpResponse:
    """Say what is copied, then make a new draft with it. The old application stays as it is."""
    draft = draft_of(request, reference)
    if request.method != "POST":
        return render(request, "portal/copy.html", {"page": copy_page(draft)})
    try:
        made = just_made(request, services.copied_from_entry(draft)) or services.create_copy(draft, by=request.user)
    except services.NotCopied as refused:
        messages.error(request, f"{refused}.")
        return redirect("portal:copy", reference=reference)
    messages.success(request, say("This is a copy of {name}. It has its own reference.", name=draft.title))
    return redirect("portal:overview", reference=made.reference)


def just_made(request: UserRequest, said: HistoryEntry, **more: str) -> Application | None:
    """The untouched application that the same press has made already; `said` is what its history begins with."""
    untouched = Application.objects.owned_by(request.user).filter(
        revision=0, created_at__gte=timezone.now() - _SAME_PRESS, changes__what=said["what"], **more
    )
    return untouched.first()
