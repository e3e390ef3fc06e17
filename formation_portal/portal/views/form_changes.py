"""The form of an open draft has changed: what differs, and going on with the new one on consent."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.applications import services
from formation_portal.contract.language import say

from ..finding import draft_of
from ..form_change_page import form_change_page, newer_form


@require_http_methods(["GET", "HEAD", "POST"])
@customer
def new_form(request: UserRequest, reference: str) -> HttpResponse:
    """What is new, gone and renamed; a post takes the form over as it was seen. Without another form, the overview."""
    draft = draft_of(request, reference)
    item = newer_form(draft) if draft.application.can_be_changed else None
    if item is None:
        return redirect("portal:overview", reference=reference)
    page = form_change_page(draft, item)
    if request.method != "POST":
        return render(request, "portal/new_form.html", {"page": page})
    if request.POST.get("seen") != page.seen:
        return render(request, "portal/new_form.html", {"page": page, "is_new": True}, status=409)
    try:
        services.adopt_form(draft, product=item, by=request.user)
    except services.Closed as closed:
        messages.error(request, f"{closed}.")
    else:
        messages.success(request, say("This application now uses the new form."))
    return redirect("portal:overview", reference=reference)
