"""Pages of the desk offer only what their reader may do."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.accounts.rights import Right
from formation_portal.applications.drafts import Draft

pytestmark = pytest.mark.django_db(databases=["default", "service"])

# By right: what a page has that offers it, and where.
OFFERS = [
    (Right.REVIEW, "", "Claim chosen"),
    (Right.REVIEW, "", "/desk/next-case/"),
    (Right.REVIEW, "", 'type="checkbox" name="case"'),
    (Right.AUDIT, "", 'href="/desk/audit/"'),
    (Right.REVIEW, "{}/", "/claim/"),
    (Right.REVIEW, "{}/", "/desk/next-case/"),
    (Right.EXPORT, "{}/", "record.json"),
    (Right.EXPORT, "{}/", "record.pdf"),
    (Right.AUDIT, "{}/", "/desk/audit/?reference="),
    (Right.EXPORT, "audit/", "entries.csv"),
    (Right.EXPORT, "figures/", "open.csv"),
    (Right.EXPORT, "figures/", "throughput.csv"),
]


@pytest.mark.parametrize(("right", "place", "offer"), OFFERS)
def test_only_what_one_may_do_is_offered(
    submitted: Draft, agent: Any, as_agent: Client, right: Right, place: str, offer: str
) -> None:
    address = f"/desk/{place.format(submitted.application.reference)}"
    assert offer in as_agent.get(address).content.decode()
    agent.rights = [one for one in Right.values if one != right]
    agent.save()
    assert offer not in as_agent.get(address).content.decode()
