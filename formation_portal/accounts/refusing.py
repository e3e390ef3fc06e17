"""What an agent reads who may not do something: which right is missing, and whom to ask."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from .models import User
from .rights import Right

# More names than this are no help.
_NAMED = 5


def page(request: HttpRequest, right: Right) -> HttpResponse:
    """403 with the name of the right and some colleagues who have it. One query."""
    agents = User.objects.filter(is_agent=True, is_active=True).order_by("first_name", "last_name", "email")
    colleagues = [one.called for one in agents if one.may[right]]
    context = {"right": right, "colleagues": colleagues[:_NAMED]}
    return render(request, "desk/right_missing.html", context, status=403)
