"""Answering our reviewer where no question of the form stands beside: on the overview, the status and documents."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.applications import services

from ..finding import draft_of
from ..reply_boxes import keep_replies

_BACK = {"overview", "status", "documents", "shares"}


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def replies(request: UserRequest, reference: str) -> HttpResponse:
    """Keep what was written, and go back to the page it was written on. A GET only leads to the overview."""
    draft = draft_of(request, reference)
    page = request.POST.get("next", "")
    if request.method == "POST":
        try:
            kept = keep_replies(draft, request.POST, by=request.user)
        except services.Closed as closed:
            messages.error(request, f"{closed}.")
        else:
            _say(request, kept)
    return redirect(f"portal:{page if page in _BACK else 'overview'}", reference=reference)


def _say(request: UserRequest, kept: int) -> None:
    if kept:
        messages.success(request, gettext("Reply saved. We will send it with your corrections."))
    else:
        messages.error(request, gettext("Our reviewer has withdrawn this query."))
