"""What became of deliveries is kept for some weeks."""

from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from formation_portal.service.webhooks.models import EventDelivery

KEPT_FOR = timedelta(days=30)


def clear_old() -> int:
    """Delete, with their tries, those that were delivered or given up longer ago; how many rows that were."""
    before = timezone.now() - KEPT_FOR
    is_old = Q(delivered_at__lt=before) | Q(dead_at__lt=before)
    return EventDelivery.objects.filter(is_old, next_at=None).delete()[0]
