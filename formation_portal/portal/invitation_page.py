"""The page on which one party is invited to fill in their own part."""

from dataclasses import dataclass

from django.conf import settings
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import ngettext

from formation_portal.applications.draft import Draft
from formation_portal.applications.parties import PartyRow
from formation_portal.invitations import parts
from formation_portal.invitations.models import Invitation

from . import closed, roles
from .counting import listed
from .email_box import EmailBox
from .invitation_words import InvitationLine, invitation_line
from .moments import moment
from .party_page import email_of


@dataclass(frozen=True, slots=True)
class InvitationPage:
    """Who is invited to what, how far it has come, and what can be done."""

    draft: Draft
    party: PartyRow
    box: EmailBox
    invitation: Invitation | None
    line: InvitationLine | None
    has_been_nudged: bool

    @property
    def title(self) -> str:
        return self.party.label

    @property
    def company(self) -> str:
        return self.draft.title

    @property
    def closed(self) -> str:
        """Why nobody can be invited; empty while they can."""
        return closed.reason(self.draft.application)

    @property
    def days(self) -> int:
        return int(settings.INVITATION_DAYS)

    @property
    def asked(self) -> str:
        """What they will be asked: 8 questions and 2 documents."""
        party = self.party.record
        asked = self.draft.form_state.party_questions(party)
        questions = sum(
            one.verdict.active and not one.spec.provided_by_agent and not one.spec.refers_to_share_class
            for one in asked
        )
        documents = len(self.draft.form_state.slots(party))
        counted = [ngettext("%(n)d question", "%(n)d questions", questions) % {"n": questions}]
        if documents:
            counted.append(ngettext("%(n)d document", "%(n)d documents", documents) % {"n": documents})
        return listed(counted)

    @property
    def role_words(self) -> str:
        return roles.role_words(self.party.roles)

    @property
    def nudged(self) -> str:
        """When the last reminder went, or nothing."""
        at = self.invitation.nudged_at if self.invitation else None
        return moment(at) if at else ""

    @property
    def is_out(self) -> bool:
        """Whether a link is out that can be withdrawn."""
        return self.line is not None and (self.line.waits or self.line.state == "met")

    @property
    def url(self) -> str:
        return self._url("invitation")

    @property
    def withdrawal_url(self) -> str:
        return self._url("invitation_withdrawal")

    @property
    def reminder_url(self) -> str:
        return self._url("invitation_reminder")

    @property
    def people_url(self) -> str:
        return reverse("portal:people", args=[self.draft.application.reference])

    def _url(self, view: str) -> str:
        return reverse(f"portal:{view}", args=[self.draft.application.reference, self.party.token])


def invitation_page(draft: Draft, party: PartyRow, *, box: EmailBox | None = None) -> InvitationPage:
    """The page as things stand: one query. Without `box`, the address is the last one, else the party's own answer."""
    now = timezone.now()
    invitation = parts.invitations_of(draft).get(party.token)
    last = invitation.email if invitation else email_of(party)
    return InvitationPage(
        draft=draft,
        party=party,
        box=box or EmailBox(last),
        invitation=invitation,
        line=invitation_line(invitation, now=now) if invitation else None,
        has_been_nudged=bool(invitation and now < parts.next_reminder_from(invitation)),
    )
