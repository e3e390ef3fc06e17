"""The agents' URLs, by package. A case's reference comes last, as it matches any word."""

from django.urls import include, path

from .api_keys import urls as api_keys
from .audit import urls as audit
from .case import urls as case
from .decisions import urls as decisions
from .deliveries import urls as deliveries
from .parties import urls as parties
from .queue import urls as queue
from .service_status import urls as service_status
from .statistics import urls as statistics
from .texts import urls as texts

app_name = "desk"

# Below the URL of an application.
application = [
    *case.application,
    *queue.application,
    *decisions.application,
    *service_status.application,
    *parties.application,
]

urlpatterns = [
    *queue.urlpatterns,
    *audit.urlpatterns,
    *deliveries.urlpatterns,
    *statistics.urlpatterns,
    *texts.urlpatterns,
    *api_keys.urlpatterns,
    path("<str:reference>/", include(application)),
]
