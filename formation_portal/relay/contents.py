"""What hangs on a thing at the service: gone with it, or left behind at a record that is no longer ours."""

from .kinds import Kind, container
from .models import Delivery, DeliveryState
from .renewal import requeue

State = DeliveryState


def forget_contents(row: Delivery) -> None:
    """Nothing of it is there any more: what belongs to it, and the shares that name it, compare anew with the wish.

    What may have arrived has gone with what it belongs to as well.
    """
    gone = {row.name}
    others = Delivery.objects.filter(application_id=row.application_id).exclude(pk=row.pk)
    for other in sorted(others, key=lambda one: one.name[0].order):
        names_it = other.name[0] is Kind.SHAREHOLDING and any(list(name) in other.needs for name in gone)
        if (container(*other.name) in gone or names_it) and (other.is_settled or other.state == State.UNKNOWN):
            gone.add(other.name)
            other.acknowledged, other.remote_id = None, ""
            if other.state == State.UNKNOWN:
                other.state, other.unclear_since = State.DONE, None
            requeue(other)
            other.save()
