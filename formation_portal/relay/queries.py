"""Database queries that nearly every page and every change of an application make."""

from formation_portal.core.prepared_queries import PreparedQuery

from .models import Delivery, ServiceProfile

DELIVERIES = PreparedQuery(lambda application: Delivery.objects.filter(application=application))
LOCKED_DELIVERIES = PreparedQuery(
    lambda application: Delivery.objects.select_for_update().filter(application=application)
)
PROFILE = PreparedQuery(lambda address: ServiceProfile.objects.filter(base_url=address))
