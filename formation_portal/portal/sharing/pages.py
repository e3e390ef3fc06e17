"""Build the pages of people with access to an application, and of the invitation of one party."""

from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from formation_portal.accounts.addresses import has_confirmed
from formation_portal.accounts.policies import UserRequest, may_write_to
from formation_portal.applications.access import GRANTABLE, Collaborator, Right
from formation_portal.applications.draft import Draft
from formation_portal.applications.parties import PartyRow
from formation_portal.contract.fields.cleaning import clean_email
from formation_portal.contract.localisation import ngettext
from formation_portal.invitations import parts
from formation_portal.invitations.models import InvitationStage
from formation_portal.ui.formats import day, day_and_time, listed
from formation_portal.ui.forms.controls import Option, Problem

from ..feedback import delivery_summary
from ..pages import ApplicationPage
from ..parties.pages import party_email
from ..parties.progress import guest_part

EMAIL = "email"
_MAX_EMAIL_LENGTH = 254


@dataclass(frozen=True, slots=True)
class EmailControl:
    typed: str
    error: str = ""

    @property
    def address(self) -> str:
        return clean_email(self.typed)

    @property
    def problems(self) -> tuple[Problem, ...]:
        return (Problem(EMAIL, self.error),) if self.error else ()


def posted_recipient(request: UserRequest) -> EmailControl:
    """Validate the posted address of an invitation, and count the e-mail against the reader's daily limit.

    Readers without a confirmed address may not send invitations.
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


def collaborator_row(collaborator: Collaborator) -> dict[str, Any]:
    """Describe a collaborator by name, or by e-mail address before the invitation is accepted."""
    right = Right(collaborator.right)
    if collaborator.accepted_at:
        state = "met"
        status = gettext("Since %(day)s") % {"day": day(collaborator.accepted_at)}
    elif collaborator.expires_at <= timezone.now():
        state = "warning"
        status = gettext("The invitation expired on %(day)s") % {"day": day(collaborator.expires_at)}
    else:
        state = "open"
        status = gettext("Invited on %(time)s, not accepted yet") % {"time": day_and_time(collaborator.asked_at)}
    return {
        "collaborator": collaborator,
        "name": (collaborator.user and collaborator.user.get_full_name()) or collaborator.email,
        "facts": f"{right.label}. {_HELP[right]}",
        "state": state,
        "status": status,
    }


def right_options(chosen: Right) -> list[Option]:
    return [Option(right.value, str(right.label), right is chosen, help=str(_HELP[right])) for right in GRANTABLE]


def invitation_context(draft: Draft, party: PartyRow, posted: EmailControl | None) -> dict[str, Any]:
    """Describe the party's invitation, if it has any, and the control for the e-mail address to invite.

    The control has the posted address, else that of the last invitation, else the party's. Makes five SQL queries,
    or one if nobody is invited.
    """
    box = posted or EmailControl(party_email(party))
    context = {"page": ApplicationPage(draft), "party": party, "scope": _scope(draft, party)}
    if invitation := parts.invitations_of(draft).get(party.token):
        box = posted or EmailControl(invitation.email)
        part = guest_part(draft, party, invitation, refused=delivery_summary(draft).refused)
        since = day_and_time(part.since)
        if part.needs and part.stage.waits:
            count = ngettext("{count} item to complete", "{count} items to complete", len(part.needs))
            since = f"{since}. {count}"
        context |= {
            "part": part,
            "since": since,
            "is_too_soon": timezone.now() < parts.next_reminder_from(invitation),
            # Whether there is a link to withdraw.
            "is_out": part.stage not in (InvitationStage.EXPIRED, InvitationStage.WITHDRAWN),
        }
    return context | {"box": box, "problems": box.problems, "days": settings.INVITATION_DAYS}


def _scope(draft: Draft, party: PartyRow) -> str:
    """Count the questions and documents for the guest: "8 questions and 2 documents"."""
    questions = 0
    for question in draft.form_state.party_questions(party.record):
        spec = question.spec
        questions += question.activation.active and not spec.provided_by_agent and not spec.refers_to_share_class
    counts = [ngettext("{count} question", "{count} questions", questions)]
    if documents := len(draft.slots_of(party)):
        counts.append(ngettext("{count} document", "{count} documents", documents))
    return listed(counts)
