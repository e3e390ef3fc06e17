"""The gallery of components, for whoever works on them: a page of the demo, and of nothing else."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from formation_portal.accounts.policies import public

from ..gallery import gallery_page
from ..gallery.errors import ERRORS


@require_safe
@public
def gallery(request: HttpRequest) -> HttpResponse:
    """Every component in every state."""
    if not settings.DEMO:
        raise Http404
    return render(request, "portal/gallery.html", {"page": gallery_page()})


@require_safe
@public
def errors(request: HttpRequest) -> HttpResponse:
    """The pages for what went wrong."""
    if not settings.DEMO:
        raise Http404
    pages = [{"name": name, "url": reverse("portal:gallery_error", args=[name])} for name in ERRORS]
    return render(request, "portal/gallery_errors.html", {"pages": pages})


@require_safe
@public
def error(request: HttpRequest, name: str) -> HttpResponse:
    """One of them."""
    if not settings.DEMO or name not in ERRORS:
        raise Http404
    return render(request, f"{name}.html", dict(ERRORS[name]))
