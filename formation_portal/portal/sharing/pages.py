"""The pages of people with access to an application, and of one party's invitation."""

from dataclasses import dataclass, replace
from functools import cached_property

from django.conf import settings
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
from formation_portal.ui import roles
from formation_portal.ui.formats import day, listed, time_or_day
from formation_portal.ui.forms.controls import Option, Problem

from ..feedback import delivery_summary
from ..pages import ApplicationPage
from ..parties.guest_parts import GuestPart, guest_part
from ..parties.pages import party_email

EMAIL = "email"
_LONGEST_EMAIL = 254


@dataclass(frozen=True, slots=True)
class EmailControl:
    """The control: what stands in it, and the words at it where that is no address."""

    typed: str
    error: str = ""

    @property
    def address(self) -> str:
        """As it is kept: one address, one spelling."""
        return clean_line(self.typed).lower()

    @property
    def problems(self) -> tuple[Problem, ...]:
        return (Problem(EMAIL, self.error),) if self.error else ()


def posted_recipient(request: UserRequest) -> EmailControl:
    """The posted address that a letter is to go to, judged, and counted among the letters of the day. Whoever may be a
    stranger writes to nobody."""
    box = EmailControl(request.POST.get(EMAIL, ""))
    if not has_confirmed(request.user):
        return replace(box, error=gettext("Confirm your own e-mail address first, at the top of this page"))
    try:
        validate_email(box.address)
    except ValidationError:
        return replace(box, error=gettext("Enter an e-mail address, like name@example.com"))
    if len(box.address) > _LONGEST_EMAIL:
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
    """Somebody who works on an application, or was asked to: who, what they may do, and how far the invitation is."""

    collaborator: Collaborator

    @property
    def name(self) -> str:
        """The name once they have said yes, before that the address."""
        user = self.collaborator.user
        return (user.get_full_name() if user else "") or self.collaborator.email

    @property
    def facts(self) -> str:
        right = Right(self.collaborator.right)
        return f"{right.words}. {_HELP[right]}"

    @property
    def other_right(self) -> Right:
        """The right that they can be given instead."""
        return next(right for right in GRANTABLE if right != self.collaborator.right)

    @property
    def state(self) -> str:
        """The mark."""
        if self.collaborator.accepted_at:
            return "met"
        return "heed" if self.collaborator.expires_at <= timezone.now() else "open"

    @property
    def status(self) -> str:
        """The same in words."""
        one = self.collaborator
        if one.accepted_at:
            return gettext("Since %(day)s") % {"day": day(one.accepted_at)}
        if self.state == "heed":
            return gettext("The invitation expired on %(day)s") % {"day": day(one.expires_at)}
        return gettext("Invited on %(time)s, not accepted yet") % {"time": time_or_day(one.asked_at)}


def right_options(chosen: Right) -> list[Option]:
    """The rights that can be given, with what each lets one do."""
    return [Option(one.value, str(one.words), one is chosen, help=str(_HELP[one])) for one in GRANTABLE]


@dataclass(frozen=True)
class InvitationPage(ApplicationPage):
    """Who is invited to what, how far it has come, and what can be done. `posted` is the address that came."""

    party: PartyRow
    posted: EmailControl | None = None

    @cached_property
    def invitation(self) -> Invitation | None:
        """One query."""
        return parts.invitations_of(self.draft).get(self.party.token)

    @cached_property
    def part(self) -> GuestPart | None:
        """The part of the invited party: four queries, one if nobody is invited."""
        if self.invitation is None:
            return None
        return guest_part(self.draft, self.party, self.invitation, refused=delivery_summary(self.draft).refused)

    @property
    def stage(self) -> InvitationStage | None:
        return self.part.stage if self.part else None

    @property
    def box(self) -> EmailControl:
        """What was posted, else the last address, else the party's own answer."""
        last = self.invitation.email if self.invitation else party_email(self.party)
        return self.posted or EmailControl(last)

    @property
    def has_been_nudged(self) -> bool:
        """Whether it is too soon for another reminder."""
        return bool(self.invitation and timezone.now() < parts.next_reminder_from(self.invitation))

    @property
    def is_out(self) -> bool:
        """Whether a link is out that can be withdrawn."""
        return self.stage is not None and (self.stage.waits or self.stage is InvitationStage.DONE)

    @property
    def since(self) -> str:
        """Return when the invitation came to its stage, and how much the guest still has to complete."""
        if self.part is None:
            return ""
        since, count = time_or_day(self.part.since), len(self.part.needs)
        if not count or not self.part.stage.waits:
            return since
        return ". ".join((since, ngettext("{count} item to complete", "{count} items to complete", count)))

    @property
    def until(self) -> str:
        """The last day of its link."""
        return day(self.invitation.expires_at) if self.invitation else ""

    @property
    def nudged(self) -> str:
        """When the last reminder went, or nothing."""
        at = self.invitation.nudged_at if self.invitation else None
        return time_or_day(at) if at else ""

    @property
    def days(self) -> int:
        """For how many days a link opens."""
        return int(settings.INVITATION_DAYS)

    @property
    def asked(self) -> str:
        """What they will be asked: 8 questions and 2 documents."""
        questions = sum(
            one.activation.active and not one.spec.provided_by_agent and not one.spec.refers_to_share_class
            for one in self.draft.form_state.party_questions(self.party.record)
        )
        documents = len(self.draft.form_state.slots(self.party.record))
        counted = [ngettext("{count} question", "{count} questions", questions)]
        if documents:
            counted.append(ngettext("{count} document", "{count} documents", documents))
        return listed(counted)

    @property
    def role_words(self) -> str:
        return roles.role_words(self.party.roles)
