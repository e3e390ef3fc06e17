"""Collect the URLs of the portal's packages. URLs are nouns, even for actions."""

from django.urls import include, path

from .applications import urls as applications
from .catalog import urls as catalog
from .documents import urls as documents
from .parties import urls as parties
from .privacy import urls as privacy
from .sections import urls as sections
from .shares import urls as shares
from .sharing import urls as sharing
from .site import urls as site
from .submission import urls as submission

app_name = "portal"

# URLs below one application's URL.
application = [
    *applications.application,
    *sections.application,
    *parties.application,
    *shares.application,
    *documents.application,
    *submission.application,
    *sharing.application,
    *privacy.application,
]

urlpatterns = [
    *catalog.urlpatterns,
    *applications.urlpatterns,
    path("applications/<str:reference>/", include(application)),
    *sharing.urlpatterns,
    *privacy.urlpatterns,
    *site.urlpatterns,
]
