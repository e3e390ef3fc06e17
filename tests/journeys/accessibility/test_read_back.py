"""What is read back, in Chromium: who is behind the holders, and what was said of documents. No barriers there."""

from typing import Any

import pytest
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.contract.lifecycle import State
from formation_portal.relay.models import APPROVED, REJECTED, Delivery, DeliveryState
from tests import factories
from tests.journeys.accessibility.barriers import barriers
from tests.journeys.conftest import OpenTab, new_user
from tests.needed import has_chromium, needed
from tests.portal.share_limits import hold, limited
from tests.portal.shares.test_beneficial_owners import with_owners

pytestmark = [pytest.mark.long, pytest.mark.browser, needed("Chromium", has_chromium())]

MIA = {"first_name": "Mia", "last_name": "van der Meer"}


def _behind(owner: Any) -> Draft:
    """A company holds most; another company and somebody unreadable are behind it."""
    draft = limited(owner, schema=with_owners())
    hold(draft, owner, ("2,500",), ("7,500",))
    kestrel = draft.parties[1]
    services.add_owner(draft, kestrel, "corporate", {"name": "Kite Holding"}, "75%", by=owner, token="kite000001")
    kite = draft.party("kite000001")
    assert kite is not None
    services.add_owner(draft, kite, "person", MIA, "about half", by=owner, token="mia0000001")
    services.add_document(draft, draft.parties[0], "Passport", factories.upload(), by=owner)
    return draft


def _said(draft: Draft, verdict: str) -> None:
    """The service has everything, and says this of the documents."""
    rows = Delivery.objects.filter(application=draft.application)
    for row in rows:
        row.acknowledged, row.state, row.next_at = row.wanted, DeliveryState.DONE, None
        if row.kind == "document":
            row.document_status, row.document_note = (
                verdict,
                "The page with the photo is cut off. Upload the whole page.",
            )
        row.save()


def test_nothing_that_is_read_back_puts_up_a_barrier(open_tab: OpenTab, site: str) -> None:
    owner = new_user()
    draft = _behind(owner)
    application = Application.objects.filter(pk=draft.application.pk)
    application.update(submitted_at=timezone.now(), state=State.SUBMITTED_FOR_REVIEW)
    tab = open_tab(owner).tab
    found = []
    for verdict in (APPROVED, REJECTED):
        _said(draft, verdict)
        if verdict == REJECTED:
            services.reopen(open_draft(application.get()), reason="The formation service returned a document")
        for page in ("check/", "status/", "documents/"):
            tab.goto(f"{site}/applications/{draft.application.reference}/{page}")
            found += [f"{verdict}, {page}: {one}" for one in barriers(tab)]
    assert found == []
