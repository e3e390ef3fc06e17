"""The receipt of what was submitted, where it stands, and taking it back."""

from http import HTTPStatus

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.accounts.session_ends import asked_by_the_page
from formation_portal.applications import services
from formation_portal.applications.access import Right
from formation_portal.contract.language import say
from formation_portal.contract.lifecycle import may

from ..drawn import revision_of
from ..finding import draft_of
from ..status_news import is_news
from ..status_page import status_page


@require_safe
@customer
def status(request: UserRequest, reference: str) -> HttpResponse:
    """Where the application stands. One that was never submitted has its overview instead."""
    draft = draft_of(request, reference)
    if draft.application.submitted_at is None:
        return redirect("portal:overview", reference=reference)
    return render(request, "portal/status.html", {"page": status_page(draft)})


@require_safe
@asked_by_the_page
@customer
def status_news(request: UserRequest, reference: str) -> HttpResponse:
    """Whether the status page is old: 204 while it is right. Whoever opens the address gets that page."""
    found = is_news(reference, request.user, shown=request.GET.get("shown", ""))
    if found is None:
        raise Http404
    if not request.htmx:
        return redirect("portal:status", reference=reference)
    if not found:
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    return render(request, "portal/_status_news_answer.html", {"reference": reference})


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def withdrawal(request: UserRequest, reference: str) -> HttpResponse:
    """Ask once more, then take back what was submitted. A draft that never was is deleted, on a page of its own."""
    draft = draft_of(request, reference, takes=Right.OWN)
    if draft.application.submitted_at is None:
        return redirect("portal:removal", reference=reference)
    if not may("withdraw", draft.application.status):
        return redirect("portal:status", reference=reference)
    if request.method != "POST":
        return render(request, "portal/withdrawal.html", {"draft": draft})
    try:
        services.withdraw(draft, by=request.user, revision=revision_of(request.POST))
    except services.Unread:
        return render(request, "portal/withdrawal.html", {"draft": draft, "is_unread": True}, status=409)
    except services.Closed as closed:
        messages.error(request, f"{closed}.")
    else:
        messages.success(request, say("Application withdrawn."))
    return redirect("portal:status", reference=reference)
