"""Whether the status page of an application says otherwise by now: its version is made of what its customer may see.

Not of anything that agents do among themselves: a version that moved with their checks would tell that somebody works
on it.
"""

from hashlib import blake2s

from formation_portal.accounts.models import User
from formation_portal.applications.models import Application
from formation_portal.contract.lifecycle import FINAL
from formation_portal.relay.models import Delivery, DeliveryState
from formation_portal.relay.resources import ResourceKind


def status_version(application: Application) -> str:
    """State, round, and what the service says of documents, as an address names them. One query."""
    documents = Delivery.objects.filter(
        application=application.pk, kind=ResourceKind.DOCUMENT, state=DeliveryState.DONE
    )
    verdicts = (
        documents.exclude(document_status="").order_by("pk").values_list("pk", "document_status", "document_note")
    )
    seen = (application.state, application.submissions, list(verdicts))
    return blake2s(repr(seen).encode(), digest_size=8).hexdigest()


def followed(application: Application) -> str:
    """The version for a page that is worth following; empty once nothing can change any more. At most one query."""
    return "" if application.status in FINAL else status_version(application)


def is_news(reference: str, user: User, *, shown: str) -> bool | None:
    """Whether a page that shows a version is old; None where the user has no such application. Two queries."""
    application = Application.objects.visible_to(user).filter(reference=reference).first()
    if application is None:
        return None
    return bool(shown) and application.submitted_at is not None and status_version(application) != shown
