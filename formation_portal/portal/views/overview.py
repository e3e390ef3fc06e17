"""An application at a glance: its sections, what each still needs, and how far everything has come."""

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.invitations import parts

from ..finding import draft_of
from ..overview_page import overview_page
from ..turns import turns


@require_safe
@customer
def overview(request: UserRequest, reference: str) -> HttpResponse:
    """The task list while answers can be changed; afterwards the status says more."""
    draft = draft_of(request, reference)
    if not draft.application.is_open:
        return redirect("portal:status", reference=reference)
    page = overview_page(draft)
    waiting = turns(draft, page.delivery.board, invitations=parts.invitations_of(draft))
    return render(request, "portal/overview.html", {"page": page, "turns": waiting})
