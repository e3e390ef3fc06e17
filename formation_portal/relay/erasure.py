"""Erase what the relay keeps of an application, or of one party (applications/services/erasure.py)."""

from collections.abc import Collection

from django.db.models import Exists, OuterRef, Q, QuerySet

from formation_portal.applications.models import Application
from formation_portal.applications.services.erasure import pseudonymised

from .models import Decision, Delivery, DeliveryState, EntityReading, ReceivedEvent, ResourceKind
from .sync import is_frozen

# In the other states it is not known yet whether the service has the resource, or an agent has to find out.
_SETTLED = (DeliveryState.QUEUED, DeliveryState.DONE, DeliveryState.REFUSED)
_IS_UNSETTLED = ~Q(state__in=_SETTLED) | Q(next_at__isnull=False)


def settled(applications: "QuerySet[Application]") -> "QuerySet[Application]":
    """Return those applications that can be erased: no delivery of theirs is under way, in doubt or with an agent."""
    return applications.exclude(Exists(Delivery.objects.filter(_IS_UNSETTLED, application=OuterRef("pk"))))


def is_settled(application: Application) -> bool:
    return not Delivery.objects.filter(_IS_UNSETTLED, application=application).exists()


def forget_application(application: Application) -> None:
    """Delete the relay's data about an application.

    If it was never submitted, its deliveries stay, without the acknowledged payload, until the service has deleted the
    entity. Deliveries in doubt keep the sent payload, which helps to tell whether it has arrived.
    """
    rows = Delivery.objects.filter(application=application)
    ids = set(rows.filter(kind=ResourceKind.ENTITY).values_list("remote_id", flat=True)) - {""}
    ReceivedEvent.objects.filter(about__in=ids).delete()
    EntityReading.objects.filter(application=application).delete()
    if application.submitted_at is not None:
        Decision.objects.filter(delivery__in=rows).delete()
        rows.delete()
        return
    for row in rows.exclude(acknowledged=None):
        if row.is_settled:
            row.acknowledged = {}
            row.save(update_fields=["acknowledged"])


def forget_party(application: Application, token: str, names: Collection[str]) -> list[Decision]:
    """Erase a party's payloads, and its names in changes of status. Empty the decisions about it and return them."""
    for row in Delivery.objects.filter(application=application, kind=ResourceKind.STATUS):
        row.wanted = pseudonymised(row.wanted, names)
        row.acknowledged = pseudonymised(row.acknowledged, names)
        row.sent = pseudonymised(row.sent, names)
        row.save(update_fields=["wanted", "acknowledged", "sent"])
    is_of_party = Q(subject=token) | Q(subject__startswith=f"{token}/")
    rows = list(Delivery.objects.filter(is_of_party, application=application))
    for row in rows:
        row.acknowledged = None if row.acknowledged is None or is_frozen(application) else {}
        row.wanted = row.acknowledged
        row.sent = None
        row.problems = []
        row.document_note = ""
        row.save(update_fields=["wanted", "acknowledged", "sent", "problems", "document_note"])
    decisions = list(Decision.objects.filter(delivery__in=rows))
    for decision in decisions:
        decision.note = ""
        decision.informed_payload = None
        decision.save(update_fields=["note", "informed_payload"])
    return decisions
