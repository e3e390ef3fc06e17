"""Build the pages of people with access to an application, and of the invitation of one party."""

from dataclasses import dataclass, replace
from functools import cached_property

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from formation_portal.accounts.addresses import has_confirmed
from formation_portal.accounts.policies import UserRequest, may_write_to
from formation_portal.applications.access import GRANTABLE, Collaborator, Right
from formation_portal.applications.parties import PartyRow
from formation_portal.contract.fields.cleaning import clean_line
from formation_portal.contract.localisation import ngettext
from formation_portal.invitations import parts
from formation_portal.invitations.models import Invitation, InvitationStage
from formation_portal.ui.formats import day, listed, time_or_day
from formation_portal.ui.forms.controls import Option, Problem

from ..feedback import delivery_summary
from ..pages import ApplicationPage
from ..parties.pages import party_email
from ..parties.progress import GuestPart, guest_part

EMAIL = "email"
_MAX_EMAIL_LENGTH = 254


@dataclass(frozen=True, slots=True)
class EmailControl:
    typed: str
    error: str = ""

    @property
    def address(self) -> str:
        return clean_line(self.typed).lower()

    @property
    def problems(self) -> tuple[Problem, ...]:
        return (Problem(EMAIL, self.error),) if self.error else ()

    @property
    def status(self) -> int:
        return 422 if self.error else 200


def posted_recipient(request: UserRequest) -> EmailControl:
    """Validate the posted address of an invitation, and count the e-mail against the reader's daily limit.

    Readers without a confirmed address may not send any.
    """
    box = EmailControl(request.POST.get(EMAIL, ""))
    if not has_confirmed(request.user):
        return replace(box, error=gettext("Confirm your own e-mail address first, at the top of this page"))
    try:
        validate_email(box.address)
    except ValidationError:
        return replace(box, error=gettext("Enter an e-mail address, like name@example.com"))
    if len(box.address) > _MAX_EMAIL_LENGTH:
        return replace(box, error=gettext("Enter an e-mail address of at most 254 characters"))
    if not may_write_to(request.user, box.address):
        return replace(box, error=gettext("We can’t send any more e-mails today. Try again tomorrow"))
    return box


_HELP = {
    Right.VIEW: gettext_lazy("Can see every page and document, but not change anything"),
    Right.EDIT: gettext_lazy("Can edit, but not submit or share"),
}


@dataclass(frozen=True)
class CollaboratorRow:
    collaborator: Collaborator

    @property
    def name(self) -> str:
        """Return the name of the account; before the invitation is accepted, the address."""
        user = self.collaborator.user
        return (user.get_full_name() if user else "") or self.collaborator.email

    @property
    def facts(self) -> str:
        right = Right(self.collaborator.right)
        return f"{right.words}. {_HELP[right]}"

    @property
    def other_right(self) -> Right:
        return next(right for right in GRANTABLE if right != self.collaborator.right)

    @property
    def state(self) -> str:
        if self.collaborator.accepted_at:
            return "met"
        return "heed" if self.collaborator.expires_at <= timezone.now() else "open"

    @property
    def status(self) -> str:
        if self.collaborator.accepted_at:
            return gettext("Since %(day)s") % {"day": day(self.collaborator.accepted_at)}
        if self.state == "heed":
            return gettext("The invitation expired on %(day)s") % {"day": day(self.collaborator.expires_at)}
        return gettext("Invited on %(time)s, not accepted yet") % {"time": time_or_day(self.collaborator.asked_at)}


def right_options(chosen: Right) -> list[Option]:
    return [Option(right.value, str(right.words), right is chosen, help=str(_HELP[right])) for right in GRANTABLE]


@dataclass(frozen=True)
class InvitationPage(ApplicationPage):
    """The invitation of a party and its state. `posted` is the address that was posted."""

    party: PartyRow
    posted: EmailControl | None = None

    @cached_property
    def invitation(self) -> Invitation | None:
        return parts.invitations_of(self.draft).get(self.party.token)

    @cached_property
    def part(self) -> GuestPart | None:
        """Read the part of the invited party. Makes four queries, one if nobody is invited."""
        if self.invitation is None:
            return None
        return guest_part(self.draft, self.party, self.invitation, refused=delivery_summary(self.draft).refused)

    @property
    def box(self) -> EmailControl:
        """Return the posted address, else the one of the last invitation, else the party's own answer."""
        if self.posted:
            return self.posted
        return EmailControl(self.invitation.email if self.invitation else party_email(self.party))

    @property
    def is_too_soon(self) -> bool:
        return bool(self.invitation and timezone.now() < parts.next_reminder_from(self.invitation))

    @property
    def is_out(self) -> bool:
        over = (InvitationStage.EXPIRED, InvitationStage.WITHDRAWN)
        return self.part is not None and self.part.stage not in over

    @property
    def since(self) -> str:
        """Say since when the invitation has its stage, and how much the guest still has to complete."""
        if self.part is None:
            return ""
        since = time_or_day(self.part.since)
        if not self.part.needs or not self.part.stage.waits:
            return since
        return f"{since}. " + ngettext("{count} item to complete", "{count} items to complete", len(self.part.needs))

    @property
    def scope(self) -> str:
        """Count what the guest will be asked: "8 questions and 2 documents"."""
        state = self.draft.form_state
        questions = 0
        for question in state.party_questions(self.party.record):
            spec = question.spec
            questions += question.activation.active and not spec.provided_by_agent and not spec.refers_to_share_class
        counts = [ngettext("{count} question", "{count} questions", questions)]
        if documents := len(state.slots(self.party.record)):
            counts.append(ngettext("{count} document", "{count} documents", documents))
        return listed(counts)
