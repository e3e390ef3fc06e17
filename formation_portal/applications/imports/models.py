"""Uploaded sheets of people not added yet. `services.party_imports` writes them."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import models
from django.utils import timezone

from formation_portal.core.background import hourly_task
from formation_portal.core.encrypted_fields import EncryptedJSONField, EncryptedTextField

from ..fields import new_token

KEPT_FOR = timedelta(days=7)


def expiry_of_new_import() -> datetime:
    return timezone.now() + KEPT_FOR


class PartyImportQuerySet(models.QuerySet["PartyImport"]):
    def kept(self) -> "PartyImportQuerySet":
        """Select the sheets that have not expired."""
        return self.filter(expires_at__gt=timezone.now())


class PartyImport(models.Model):
    """A sheet: {headings, remarks, rows}; a row: {number, token, cells, formulas}, with its party's future token."""

    application = models.ForeignKey("applications.Application", models.CASCADE, related_name="party_imports")
    token = models.CharField(max_length=32, unique=True, default=new_token, editable=False)
    uploaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    uploaded_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(default=expiry_of_new_import, db_index=True)
    name = EncryptedTextField(max_length=255, bound_to=("application_id", "token"))
    sheet = EncryptedJSONField(default=dict, bound_to=("application_id", "token"))

    objects = PartyImportQuerySet.as_manager()

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return self.token


@hourly_task
def delete_expired() -> None:
    PartyImport.objects.filter(expires_at__lte=timezone.now()).delete()
