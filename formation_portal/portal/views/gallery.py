"""The gallery of components, for whoever works on them: a page of the demo, and of nothing else."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from formation_portal.accounts.policies import public

from ..gallery import gallery_page


@require_safe
@public
def gallery(request: HttpRequest) -> HttpResponse:
    """Every component in every state."""
    if not settings.DEMO:
        raise Http404
    return render(request, "portal/gallery.html", {"page": gallery_page()})
