"""What the relay keeps of an application, or of one party, when that is erased (applications/services/erasure.py)."""

from django.db.models import Q, QuerySet

from formation_portal.applications.models import Application

from .models import Decision, Delivery, DeliveryState, ReceivedEvent, ResourceKind
from .sync import is_frozen

# What is known to be at the service, or not to be.
_SETTLED = (DeliveryState.DONE, DeliveryState.REFUSED)


def is_settled(application: Application) -> bool:
    """Whether nothing of the application is under way, in doubt, or waits for an agent: then it can be erased without
    anybody having to know what was sent."""
    return not Delivery.objects.filter(application=application).exclude(state__in=_SETTLED).exists()


def forget_application(application: Application) -> None:
    """Everything. Of a draft it stays until the service has deleted it: by then its rows hold nothing (`sync`)."""
    rows = Delivery.objects.filter(application=application)
    ids = set(rows.filter(kind=ResourceKind.ENTITY).values_list("remote_id", flat=True)) - {""}
    ReceivedEvent.objects.filter(about__in=ids).delete()
    if application.submitted_at is not None:
        Decision.objects.filter(delivery__in=rows).delete()
        rows.delete()


def forget_party(application: Application, token: str) -> list[Decision]:
    """What agents have told the provider of the party: the decisions, which now tell nothing. Its deliveries go once
    the service has deleted it; those of an application that stays there as it is go at once."""
    rows = Delivery.objects.filter(_of_party(token), application=application)
    decisions = list(Decision.objects.filter(delivery__in=rows))
    for decision in decisions:
        decision.note, decision.told = "", None
        decision.save(update_fields=["note", "told"])
    if is_frozen(application):
        _empty(rows)
    return decisions


def _of_party(token: str) -> Q:
    return Q(subject=token) | Q(subject__startswith=f"{token}/")


def _empty(rows: "QuerySet[Delivery]") -> None:
    """That it was there is kept, since decisions refer to it; what it was is not."""
    for row in rows:
        row.wanted = row.acknowledged = row.sent = None
        row.problems, row.document_note = [], ""
        row.save(update_fields=["wanted", "acknowledged", "sent", "problems", "document_note"])
