"""The portal's addresses, and the page that does nothing but know who is signed in."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.urls import path

from formation_portal.urls import handler400, handler500
from formation_portal.urls import urlpatterns as portal_patterns
from tests.campaigns.bench.django_form import form_page


@login_required
def nothing(request: HttpRequest) -> HttpResponse:
    """The signed-in page that does nothing."""
    return HttpResponse(f"ok {request.user.pk}")


urlpatterns = [path("nothing/", nothing), path("form/", form_page), *portal_patterns]
__all__ = ["handler400", "handler500", "urlpatterns"]
