"""States of the audit log: two days with more before and after, no results, and an entry that somebody altered."""

from collections.abc import Iterator

from django.contrib.auth import get_user_model

from formation_portal.applications.models import Application
from formation_portal.audit import chain
from formation_portal.audit.models import AuditAction, Entry
from tests.journeys.page_states.screenshots import Shot

_A_DAY = 86_400_000_000


def audit_states() -> Iterator[Shot]:
    """Each for an agent."""
    agent, customer = (get_user_model().objects.get(email=f"{one}@example.com") for one in ("agent", "demo"))
    about = Application(pk=700, reference="FP-7K3M-92QX-4TBD")
    for by in (customer, None, *(agent,) * 60):
        chain.append(AuditAction.LOOK, by=by, application=about, subject=12, way="page", page=2)
    chain.append(AuditAction.RECORD, by=agent, application=about, kind="pdf")
    first = Entry.objects.earliest("number").number
    Entry.objects.filter(number__lt=first + 30).update(moment=Entry.objects.latest("number").moment - _A_DAY)
    yield Shot("audit-older", f"/desk/audit/?before={first + 60}", who="agent")
    yield Shot("audit-nothing", "/desk/audit/?who=guest", who="agent")
    yield Shot("audit-altered", f"/desk/audit/{first}/", who="agent")
