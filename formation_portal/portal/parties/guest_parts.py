"""Read the progress of a guest's part, and the needs that the guest can meet."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone
from django.utils.translation import gettext

from formation_portal.applications.draft import Draft
from formation_portal.applications.parties import PartyRow
from formation_portal.contract.needs import Need
from formation_portal.invitations import parts
from formation_portal.invitations.models import Invitation, InvitationStage, current_stage
from formation_portal.ui.formats import time_or_day


@dataclass(frozen=True, slots=True)
class GuestPart:
    """The part of an invited party. `needs` is what its guest was asked for and has not given, or has to correct."""

    party: PartyRow
    invitation: Invitation
    needs: tuple[Need, ...]
    stage: InvitationStage
    since: datetime

    @property
    def words(self) -> str:
        """Describe the stage, like "Invitation: Opened, 24 November at 14:02"."""
        stage = {"stage": self.stage.words, "since": time_or_day(self.since)}
        sentence = gettext("Invitation: %(stage)s, %(since)s") % stage
        wish = gettext("They have asked for a new link")
        return f"{sentence}. {wish}" if self.invitation.wanted_at else sentence


def guest_part(draft: Draft, party: PartyRow, invitation: Invitation, *, refused: Iterable[Need]) -> GuestPart:
    """Judge a guest's part. `refused` is everything of the application that the formation service has refused."""
    needs = guest_needs(draft, party, refused=refused)
    stage, since = current_stage(invitation, now=timezone.now(), has_needs=bool(needs))
    return GuestPart(party, invitation, needs, stage, since)


def guest_needs(draft: Draft, party: PartyRow, *, refused: Iterable[Need]) -> tuple[Need, ...]:
    """Return what a guest still has to give, and what of their part the formation service has refused."""
    own_refusals = [need for need in refused if need.party_id == party.token and (need.slot or need.field)]
    return tuple(dict.fromkeys((*parts.needs_of_guest(draft, party), *own_refusals)))
