"""What a case's pages offer to whom: nothing that would be refused."""

from django.contrib.auth.models import AbstractBaseUser

from formation_portal.accounts.models import Right, User
from formation_portal.applications.draft import Draft
from formation_portal.reviews.transactions import UNDER_REVIEW


def can_review(draft: Draft, reader: AbstractBaseUser) -> bool:
    """Whether this agent can check and ask now: the case is under review, and the agent has the right."""
    return draft.application.status in UNDER_REVIEW and isinstance(reader, User) and reader.may[Right.REVIEW]
