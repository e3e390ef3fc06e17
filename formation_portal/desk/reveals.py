"""Every time that numbers are shown to an agent is kept in the audit: whose and which, and never what they are."""

from formation_portal.audit import chain
from formation_portal.audit.chain import Account
from formation_portal.audit.models import AuditAction

from .party_page import PartyPage


def keep_reveal(page: PartyPage, *, by: Account) -> None:
    """Keep that somebody is about to be shown the numbers of a party; nothing where it has none.

    What can't be kept is not shown either: an error here takes the place of the answer.
    """
    if page.numbers:
        fields = [row.fact.target.name for row in page.numbers]
        chain.append(
            AuditAction.REVEAL, by=by, application=page.draft.application, subject=page.party.token, fields=fields
        )
