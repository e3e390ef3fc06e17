"""Help: the field's words explained, place by place. For everybody, signed in or not."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from formation_portal.accounts.policies import public

from ..glossary import places
from ..help_page import help_page


@require_safe
@public
def words(request: HttpRequest) -> HttpResponse:
    """The words that are the same everywhere, and the way to each place's own."""
    return render(request, "portal/help.html", {"page": help_page()})


@require_safe
@public
def words_of_place(request: HttpRequest, code: str) -> HttpResponse:
    """The words with what one place calls them."""
    if code not in places():
        raise Http404
    return render(request, "portal/help.html", {"page": help_page(code)})
