"""The pages of people with access to an application, and of one party's invitation."""

from dataclasses import dataclass, replace

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy, ngettext

from formation_portal.accounts.addresses import has_confirmed
from formation_portal.accounts.policies import UserRequest, may_write_to
from formation_portal.applications.access import GRANTABLE, Collaborator, Right
from formation_portal.applications.draft import Draft
from formation_portal.applications.parties import PartyRow
from formation_portal.invitations import parts
from formation_portal.invitations.models import CurrentStage, Invitation, InvitationStage, current_stage
from formation_portal.ui import roles
from formation_portal.ui.formats import day, listed, time_or_day
from formation_portal.ui.forms.controls import Option, Problem

from ..pages import ApplicationPage
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
        return self.typed.strip().lower()

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
    if not may_write_to(request, box.address):
        return replace(box, error=gettext("We can’t send any more e-mails today. Try again tomorrow"))
    return box


_HELP = {
    Right.VIEW: gettext_lazy("Can see every page and document, but not change anything"),
    Right.EDIT: gettext_lazy("Can edit, but not submit or share"),
}


@dataclass(frozen=True, slots=True)
class CollaboratorRow:
    """One person: the name once they have said yes, before that the address; `other` is the right to change to."""

    id: str
    name: str
    facts: str
    state: str
    status: str
    change_url: str
    other: str
    other_words: str
    removal_url: str


@dataclass(frozen=True, slots=True)
class AccessPage(ApplicationPage):
    """The whole page."""

    lines: tuple[CollaboratorRow, ...]
    box: EmailControl
    rights: tuple[Option, ...]

    @property
    def days(self) -> int:
        return int(settings.INVITATION_DAYS)

    @property
    def owner(self) -> str:
        return self.draft.application.owner.called


def access_page(draft: Draft, *, box: EmailControl | None = None, right: Right = Right.VIEW) -> AccessPage:
    """The page as things stand: two queries."""
    found = draft.application.collaborators.select_related("user")
    return AccessPage(
        draft=draft,
        lines=tuple(_line(draft, one) for one in found),
        box=box or EmailControl(""),
        rights=tuple(Option(one.value, str(one.words), one is right, help=str(_HELP[one])) for one in GRANTABLE),
    )


def _line(draft: Draft, one: Collaborator) -> CollaboratorRow:
    right = Right(one.right)
    other = next(each for each in GRANTABLE if each is not right)
    arguments = [draft.application.reference, one.pk]
    if one.accepted_at:
        state, status = "met", gettext("Since %(day)s") % {"day": day(one.accepted_at.date())}
    elif one.expires_at <= timezone.now():
        state, status = "heed", gettext("The invitation expired on %(day)s") % {"day": day(one.expires_at.date())}
    else:
        state, status = "open", gettext("Invited on %(time)s, not accepted yet") % {"time": time_or_day(one.asked_at)}
    return CollaboratorRow(
        id=f"access-{one.pk}",
        name=(one.user.get_full_name() if one.user else "") or one.email,
        facts=f"{right.words}. {_HELP[right]}",
        state=state,
        status=status,
        change_url=reverse("portal:collaborator", args=arguments),
        other=other.value,
        other_words=gettext("Allow editing") if other is Right.EDIT else gettext("Allow viewing only"),
        removal_url=reverse("portal:collaborator_removal", args=arguments),
    )


@dataclass(frozen=True, slots=True)
class InvitationPage(ApplicationPage):
    """Who is invited to what, how far it has come, and what can be done."""

    party: PartyRow
    box: EmailControl
    invitation: Invitation | None
    current: CurrentStage | None
    has_been_nudged: bool

    @property
    def title(self) -> str:
        return self.party.label

    @property
    def days(self) -> int:
        return int(settings.INVITATION_DAYS)

    @property
    def asked(self) -> str:
        """What they will be asked: 8 questions and 2 documents."""
        party = self.party.record
        asked = self.draft.form_state.party_questions(party)
        questions = sum(
            one.activation.active and not one.spec.provided_by_agent and not one.spec.refers_to_share_class
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
        return time_or_day(at) if at else ""

    @property
    def is_out(self) -> bool:
        """Whether a link is out that can be withdrawn."""
        return self.current is not None and (self.current.stage.waits or self.current.stage is InvitationStage.DONE)

    @property
    def since(self) -> str:
        """When the invitation came to its stage."""
        return time_or_day(self.current.since) if self.current else ""

    @property
    def until(self) -> str:
        """The last day of its link."""
        return day(self.invitation.expires_at.date()) if self.invitation else ""

    @property
    def url(self) -> str:
        return self._url("invitation", self.party.token)

    @property
    def withdrawal_url(self) -> str:
        return self._url("invitation_withdrawal", self.party.token)

    @property
    def reminder_url(self) -> str:
        return self._url("invitation_reminder", self.party.token)


def invitation_page(draft: Draft, party: PartyRow, *, box: EmailControl | None = None) -> InvitationPage:
    """The page as things stand: one query. Without `box`, the address is the last one, else the party's own answer."""
    now = timezone.now()
    invitation = parts.invitations_of(draft).get(party.token)
    last = invitation.email if invitation else party_email(party)
    return InvitationPage(
        draft=draft,
        party=party,
        box=box or EmailControl(last),
        invitation=invitation,
        current=current_stage(invitation, now=now) if invitation else None,
        has_been_nudged=bool(invitation and now < parts.next_reminder_from(invitation)),
    )
