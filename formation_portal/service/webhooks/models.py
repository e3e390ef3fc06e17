"""Who wants to hear of events, and what became of telling them (supplement, "Events")."""

from django.db import models
from django.db.models import Q

from formation_portal.processes import NAME_LIMIT
from formation_portal.service import identifiers


class Subscription(models.Model):
    """One address that events are posted to. Its secret is made from its id when it is needed, and stored nowhere."""

    id = models.CharField(primary_key=True, max_length=40, default=identifiers.new_webhook_id)
    account = models.ForeignKey("service.Account", on_delete=models.PROTECT, related_name="subscriptions")
    url = models.CharField(max_length=2_000)
    events = models.JSONField(default=list)
    description = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.id


class EventDelivery(models.Model):
    """One event for one subscription. `next_at` says when somebody should look at it; empty, nothing is left to do."""

    subscription = models.ForeignKey(Subscription, on_delete=models.CASCADE, related_name="deliveries")
    event = models.ForeignKey("service.Event", on_delete=models.CASCADE, related_name="deliveries")
    # What is told of one entity is told in order.
    about = models.CharField(max_length=40)
    tries = models.PositiveSmallIntegerField(default=0)
    next_at = models.DateTimeField(null=True)
    # Whose try it is; empty where none is being made.
    lease = models.UUIDField(null=True)
    # The process that makes it (processes.py); empty where none does.
    holder = models.CharField(max_length=NAME_LIMIT, blank=True, default="")
    delivered_at = models.DateTimeField(null=True)
    dead_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("subscription", "event"), name="one_delivery_per_subscription_and_event"),
        )
        indexes = (
            models.Index(fields=("next_at",), condition=Q(next_at__isnull=False), name="events_to_send"),
            models.Index(
                fields=("subscription", "about", "event"),
                condition=Q(next_at__isnull=False),
                name="events_in_their_order",
            ),
        )

    def __str__(self) -> str:
        return f"delivery {self.pk}"

    @property
    def state(self) -> str:
        """In one word."""
        if self.delivered_at:
            return "delivered"
        return "dead" if self.dead_at else "waiting"


class DeliveryAttempt(models.Model):
    """One try, written before its socket opens. No body is kept, and of the answer only its status."""

    delivery = models.ForeignKey(EventDelivery, on_delete=models.CASCADE, related_name="attempts")
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    # A stable word, from `posting`; empty while nobody knows.
    outcome = models.CharField(max_length=40, blank=True)
    status = models.PositiveSmallIntegerField(null=True)

    def __str__(self) -> str:
        return f"{self.outcome or 'in progress'}, {self.started_at}"
