"""The letter to an owner that somebody is done with their part, written in the transaction that says so."""

import datetime as dt

from django.urls import reverse
from django.utils import timezone, translation

from formation_portal.accounts import addresses
from formation_portal.applications.draft import Draft
from formation_portal.invitations.models import Invitation
from formation_portal.letters import post
from formation_portal.letters.models import Letter

from .tidings import language_of, may_write_to
from .turns import still_theirs

KIND = "part_done"
_NAME_SHOWN_AT_MOST = 80
# Whoever says so again after each small change is heard on the overview alone.
MOST_A_DAY = 20


def tell(draft: Draft, invitation: Invitation) -> None:
    """Write to the owner, unless it is the owner who has filled it in."""
    owner, row = draft.application.owner, draft.party(invitation.party.token)
    if row is None or addresses.has(owner, invitation.email) or not may_write_to(owner) or _is_enough(draft):
        return
    language, address = language_of(owner), [draft.application.reference, row.token]
    with translation.override(language):
        name = row.label[:_NAME_SHOWN_AT_MOST]
    context = {
        "name": name,
        "company": draft.title,
        "reference": draft.application.reference,
        "needs": len(still_theirs(draft, row)),
        "link": reverse("portal:party", args=address),
    }
    post(kind=KIND, to=owner.email, language=language, context=context)


def _is_enough(draft: Draft) -> bool:
    since = timezone.now() - dt.timedelta(days=1)
    sent = Letter.objects.filter(kind=KIND, reference=draft.application.reference, created_at__gte=since)
    return sent.count() >= MOST_A_DAY
