"""Pages of the desk offer only what their reader may do."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.accounts.models import Right
from formation_portal.applications.draft import Draft

pytestmark = pytest.mark.django_db(databases=["default", "service"])

# By right: what a page has that offers it, and where.
OFFERS = [
    (Right.REVIEW, "", "Claim selected"),
    (Right.REVIEW, "", "/desk/next-case/"),
    (Right.REVIEW, "", 'type="checkbox" name="case"'),
    (Right.REVIEW, "", 'href="/desk/texts/"'),
    (Right.AUDIT, "", 'href="/desk/audit/"'),
    (Right.WORKBENCH, "", 'href="/workbench/"'),
    (Right.REVIEW, "{}/", "/claim/"),
    (Right.REVIEW, "{}/", "/acceptances/"),
    (Right.REVIEW, "{}/", "/remarks/?"),
    (Right.REVIEW, "{}/", "/notes/"),
    (Right.REVIEW, "{}/parties/ada/", "/acceptances/"),
    (Right.REVIEW, "{}/parties/ada/", "/remarks/?"),
    (Right.DECIDE, "{}/", "/ruling/"),
    (Right.REVIEW, "{}/", "/desk/next-case/"),
    (Right.EXPORT, "{}/", "record.json"),
    (Right.EXPORT, "{}/", "record.pdf"),
    (Right.AUDIT, "{}/", "/desk/audit/?reference="),
    (Right.EXPORT, "audit/", "entries.csv"),
    (Right.EXPORT, "figures/", "open.csv"),
    (Right.EXPORT, "figures/", "throughput.csv"),
]


def test_only_what_one_may_do_is_offered(submitted: Draft, agent: Any, as_agent: Client) -> None:
    pages = {path: f"/desk/{path.format(submitted.application.reference)}" for _, path, _ in OFFERS}
    everything = {path: as_agent.get(address).content.decode() for path, address in pages.items()}
    assert [offer for _, path, offer in OFFERS if offer not in everything[path]] == []
    for right in {right for right, _, _ in OFFERS}:
        agent.set_rights([one for one in Right.values if one != right])
        here = [(path, offer) for its, path, offer in OFFERS if its is right]
        shown = {path: as_agent.get(pages[path]).content.decode() for path, _ in here}
        assert [(path, offer) for path, offer in here if offer in shown[path]] == []
