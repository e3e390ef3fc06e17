"""The actions of owner and guest on an invitation: send, remind, withdraw, begin, finish."""

from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext_noop

from formation_portal import workflow
from formation_portal.applications.access import Guest
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Party
from formation_portal.applications.parties import PartyRow
from formation_portal.applications.services.parties import current_party
from formation_portal.applications.services.transactions import application_transaction
from formation_portal.contract.needs import Need

from .codes import SAME_PRESS, digest_of_key, send_link
from .models import Invitation, current_stage

REMIND_EVERY = timedelta(days=1)


class TooSoon(Exception):
    """The refusal of a reminder: the last e-mail to the guest is less than a day old."""


class NothingToSend(Exception):
    """The refusal of a reminder: no invitation waits for the guest."""


def needs_of_guest(draft: Draft, party: PartyRow) -> tuple[Need, ...]:
    """Return the party's missing answers and documents, except share classes, which the guest does not see."""
    fields = draft.schema.fields_of(party.kind, party.roles)
    not_asked = {None} | {spec.name for spec in fields if spec.refers_to_share_class}
    needs = draft.needs_of_party(party.token)
    return tuple(need for need in needs if need.slot is not None or need.field not in not_asked)


def invite(draft: Draft, party: PartyRow, *, email: str, by: AbstractBaseUser, language: str) -> Invitation:
    """Send the party an invitation, each time with a new key and expiry. Raises Closed, Gone."""
    now = timezone.now()
    with application_transaction(draft, by=by) as journal:
        row = current_party(draft, party)
        invitation = _locked_invitation(row) or Invitation(application=draft.application, party=row.model)
        is_again = invitation.pk is not None and not invitation.withdrawn_at
        if is_again and invitation.email == email and now - invitation.sent_at < SAME_PRESS:
            return invitation
        for moment in ("nudged_at", "opened_at", "begun_at", "done_at", "withdrawn_at", "wanted_at"):
            setattr(invitation, moment, None)
        invitation.email = email
        invitation.language = language
        invitation.round += 1
        invitation.code_digest = ""
        invitation.sent_at = now
        invitation.expires_at = now + timedelta(days=settings.INVITATION_DAYS)
        send_link(draft, invitation, kind="invitation", view="portal:part_link", language=language)
        message = gettext_noop("Invited {name} to fill in their part")
        if is_again:
            message = gettext_noop("Sent {name} a new invitation")
        journal.note(message, holder=row.token, name=row.label)
    return invitation


def withdraw(draft: Draft, party: PartyRow, *, by: AbstractBaseUser) -> None:
    """Withdraw the invitation and end its sessions. Answers stay. Raises Closed, Gone."""
    with application_transaction(draft, by=by) as journal:
        row = current_party(draft, party)
        invitation = _locked_invitation(row)
        if invitation is None or invitation.withdrawn_at:
            return
        invitation.withdrawn_at = timezone.now()
        invitation.save()
        journal.note("Withdrew the invitation to {name}", holder=row.token, name=row.label)


def remind(draft: Draft, party: PartyRow, *, by: AbstractBaseUser, has_refusals: bool = False) -> None:
    """Remind the guest with a new link; the expiry stays. Raises TooSoon within a day, NothingToSend, Closed, Gone.

    `has_refusals` is True if the formation service has refused something about the party.
    """
    now = timezone.now()
    with application_transaction(draft, by=by) as journal:
        row = current_party(draft, party)
        invitation = _locked_invitation(row)
        has_needs = has_refusals or bool(needs_of_guest(draft, row))
        if invitation is None or not current_stage(invitation, now=now, has_needs=has_needs)[0].waits:
            raise NothingToSend
        if now < next_reminder_from(invitation):
            raise TooSoon
        invitation.nudged_at = now
        send_link(draft, invitation, kind="nudge", view="portal:part_link", language=invitation.language)
        journal.note("Sent {name} a reminder", holder=row.token, name=row.label)


def next_reminder_from(invitation: Invitation) -> datetime:
    return (invitation.nudged_at or invitation.sent_at) + REMIND_EVERY


def mark_begun(invitation: Invitation) -> None:
    """Record that the guest has filled something in; a finished invitation is in progress again."""
    if invitation.begun_at is None or invitation.done_at:
        invitation.begun_at = timezone.now()
        invitation.done_at = None
        invitation.save(update_fields=["begun_at", "done_at"])


def ask_for_another_link(invitation: Invitation) -> None:
    if invitation.wanted_at is None:
        invitation.wanted_at = timezone.now()
        invitation.save(update_fields=["wanted_at"])


def end_sessions(reference: str, *, round_: int, epoch: int) -> None:
    """End the guest's sessions in all browsers; the link stays. Does nothing for a session that is over already."""
    current = Invitation.objects.filter(reference=reference, round=round_, session_epoch=epoch)
    current.update(session_epoch=F("session_epoch") + 1)


def finish(draft: Draft, invitation: Invitation) -> bool:
    """Record that the guest has finished, once. Return False while something is missing. Raises Closed."""
    with application_transaction(draft, by=Guest()) as journal:
        current = Invitation.objects.select_for_update().get(pk=invitation.pk)
        row = draft.party(invitation.party.token)
        if row is None or needs_of_guest(draft, row):
            return False
        if current.done_at:
            invitation.done_at = current.done_at
            return True
        invitation.done_at = timezone.now()
        invitation.save(update_fields=["done_at"])
        journal.note("{name} finished their part", holder=row.token, name=row.label)
        workflow.part_finished(draft, invitation=invitation)
        return True


def find_by_key(key: str) -> Invitation | None:
    return Invitation.objects.select_related("application", "party").filter(key_digest=digest_of_key(key)).first()


def find_by_reference(reference: str) -> Invitation | None:
    return Invitation.objects.select_related("application", "party").filter(reference=reference).first()


def invitations_of(draft: Draft) -> dict[str, Invitation]:
    """Return each party's invitation by the party's token, without removed parties. Makes one SQL query."""
    invitations = Invitation.objects.filter(application=draft.application, party__removed_at=None)
    return {invitation.party.token: invitation for invitation in invitations.select_related("party")}


def address_of_guest(party: Party) -> str:
    """Return the e-mail address of a party's invitation, or ""."""
    return Invitation.objects.filter(party=party).values_list("email", flat=True).first() or ""


def _locked_invitation(row: PartyRow) -> Invitation | None:
    return Invitation.objects.select_for_update().filter(party=row.model).first()
