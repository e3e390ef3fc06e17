"""Everything that was answered, read back before it is submitted, and later to see what was sent."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from formation_portal.accounts.policies import UserRequest, customer

from ..check_page import check_page
from ..declaration import declaration_of
from ..finding import draft_of


@require_safe
@customer
def check(request: UserRequest, reference: str) -> HttpResponse:
    """What is still needed first, then the answers, then the declaration with the button."""
    draft = draft_of(request, reference)
    context = {"page": check_page(draft), "declaration": declaration_of(draft, by=request.user)}
    return render(request, "portal/check.html", context)
