"""A customer with a draft of the small product, and Ada in it, who is invited."""

from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.parties import PartyRow
from formation_portal.invitations import parts
from formation_portal.invitations.models import Invitation
from tests import factories


@pytest.fixture
def ada(draft: Draft, owner: Any) -> PartyRow:
    services.add_party(draft, "person", ["director"], {"person.first_name": "Ada"}, by=owner)
    assert factories.ADA["person.first_name"] == draft.parties[0].label
    return draft.parties[0]


@pytest.fixture
def invitation(draft: Draft, ada: PartyRow, owner: Any) -> Invitation:
    """Ada is invited, at an address of her own."""
    return parts.invite(draft, ada, email="ada@example.com", by=owner, language="en")
