"""The table of what the service's record of each entity showed last (relay/entity_status.py)."""

from django.db import models

from formation_portal.applications.models import Application
from formation_portal.core.encrypted_fields import EncryptedTextField


class EntityReading(models.Model):
    """The last reading of an application's entity at the service, and the time of the next one.

    While a worker reads, `next_at` is the end of its lease. None: it is not read before something else asks for it.
    """

    application = models.OneToOneField(Application, models.CASCADE, primary_key=True, related_name="entity_reading")
    read_at = models.DateTimeField(null=True)
    next_at = models.DateTimeField(null=True, db_index=True)
    status = EncryptedTextField(max_length=80, blank=True, bound_to=("application_id",))
    # The address at which the customer pays, as the service gave it last; a page reads it again.
    payment_url = EncryptedTextField(blank=True, bound_to=("application_id",))

    def __str__(self) -> str:
        return f"Entity of {self.application_id}: {self.status}"
