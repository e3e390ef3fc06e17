"""Collect the addresses of the rooms. An address is a noun, and so is an action."""

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

# Below one application's address.
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
