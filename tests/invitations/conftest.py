"""A customer with a draft of the small product, and Ada in it, who is invited."""

from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.parties import PartyRow
from formation_portal.invitations import parts
from formation_portal.invitations.models import Invitation


@pytest.fixture
def ada(draft: Draft, owner: Any) -> PartyRow:
    services.add_party(draft, "person", ["director"], {"person.first_name": "Ada"}, by=owner)
    return draft.parties[0]


@pytest.fixture
def invitation(draft: Draft, ada: PartyRow, owner: Any) -> Invitation:
    """Ada is invited, at an address of her own."""
    return parts.invite(draft, ada, email="ada@example.com", by=owner, language="en")


@pytest.fixture
def complete_part(complete: Draft, owner: Any) -> Invitation:
    """An invitation to a part of which nothing is missing."""
    return parts.invite(complete, complete.parties[0], email="guest@example.com", by=owner, language="es")
