"""The events of the formation service: those that were accepted, and how many were refused."""

from django.db import models

from formation_portal.core.encrypted_fields import EncryptedBinaryField


class ReceivedEvent(models.Model):
    """An event that the service has signed, as it came. What is here was acted upon."""

    event_id = models.CharField(max_length=200, unique=True)
    kind = models.CharField(max_length=200, blank=True)
    # The id that it says its entity has at the service.
    about = models.CharField(max_length=200, blank=True)
    body = EncryptedBinaryField(bound_to=("event_id",))
    received_at = models.DateTimeField(auto_now_add=True, db_index=True)

    def __str__(self) -> str:
        return f"{self.kind} {self.event_id}"


class RefusedEvents(models.Model):
    """The number of events refused for one reason since the portal last subscribed: at most one row a reason."""

    class Reason(models.TextChoices):
        NO_SECRET = "no_secret", "the portal has no secret to verify them"
        UNSIGNED = "unsigned", "they have no signature"
        OTHER_SCHEME = "other_scheme", "they are signed in another way than WEBHOOK_SCHEME says"
        TIME = "time", "they were signed more than five minutes ago, or the clocks differ"
        SIGNATURE = "signature", "their signature does not match the secret"
        CONTENT = "content", "their content is not JSON"

    reason = models.CharField(primary_key=True, max_length=20, choices=Reason.choices)
    number = models.PositiveBigIntegerField(default=0)
    last_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.reason}: {self.number}"
