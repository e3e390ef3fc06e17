"""What pages of an application have in common: why they are read-only, their problems and needs, an e-mail address."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.http import HttpRequest
from django.urls import reverse

from formation_portal.accounts.addresses import has_confirmed
from formation_portal.accounts.models import User
from formation_portal.accounts.policies import UserRequest, may_write_to
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.contract.lifecycle import State
from formation_portal.contract.localisation import gettext, gettext_noop
from formation_portal.contract.needs import Need
from formation_portal.ui import formats
from formation_portal.ui.forms.controls import Problem, slot_id, slot_key, slot_name
from formation_portal.ui.forms.form import QuestionForm

from .navigation import NeedLink

_REASONS = {
    State.SUBMITTED_FOR_REVIEW: gettext_noop(
        "It is waiting for review. If something needs to change, we will return it to you."
    ),
    State.IN_REVIEW: gettext_noop("It is being reviewed. If something needs to change, we will return it to you."),
    State.SUBMITTED_TO_CSP: gettext_noop("It has been approved and is with the registry."),
    State.INCORPORATED: gettext_noop("It has been incorporated."),
    State.REJECTED: gettext_noop("It was declined."),
    State.WITHDRAWN: gettext_noop("It was withdrawn."),
}


def read_only_reason(application: Application) -> str:
    """One or two sentences, the first with the day of submission; empty while its reader may change it."""
    if application.can_be_changed:
        return ""
    if application.is_open:
        return gettext("You can only read this application. Ask its owner if you need to edit it.")
    submitted = application.submitted_at
    when = gettext("You submitted this application on {day}.", day=formats.day(submitted.date())) if submitted else ""
    reason = gettext(_REASONS[application.status]) if application.status in _REASONS else ""
    sentences = (when, reason, gettext("These are the current answers."))
    return " ".join(sentence for sentence in sentences if sentence)


@dataclass(frozen=True, slots=True)
class ApplicationPage:
    """What every page of an application has: what is formed, why it is read-only, and the way to its other pages."""

    draft: Draft

    @property
    def company(self) -> str:
        return self.draft.title

    @property
    def read_only_reason(self) -> str:
        """Why nothing can be changed; empty while it can."""
        return read_only_reason(self.draft.application)

    @property
    def overview_url(self) -> str:
        return self._url("overview")

    @property
    def people_url(self) -> str:
        return self._url("people")

    @property
    def shares_url(self) -> str:
        return self._url("shares")

    def _url(self, view: str, *more: object) -> str:
        """The address of a view of the application."""
        return reverse(f"portal:{view}", args=[self.draft.application.reference, *more])


@dataclass(frozen=True, slots=True)
class ConfirmPage:
    """The question whether to remove, delete, withdraw or copy something; templates/portal/confirmation.html asks it.

    `back_url` is where it came from: who says no goes there.
    """

    draft: Draft
    back_url: str
    back_label: str

    @property
    def company(self) -> str:
        return self.draft.title

    @property
    def is_open(self) -> bool:
        """Whether it may be done at all; the view asks of what isn't a removal."""
        return True


def file_problems(refused: Mapping[str, str]) -> tuple[Problem, ...]:
    """The files that were not taken, by the key of their slot, each with the way to its slot."""
    return tuple(Problem(slot_id(key), f"{slot_name(key)}: {message}") for key, message in refused.items())


def need_rows(needs: Iterable[Need], form: QuestionForm | None = None, *, about: str = "") -> tuple[NeedLink, ...]:
    """What is needed of a page that asks the form's questions: each line leads to its control.

    `about` is whom the page is about: their name need not begin each line there.
    """
    links: list[NeedLink] = []
    for need in needs:
        text = need.text.removeprefix(f"{about}: ")
        if text != need.text:
            text = text[:1].upper() + text[1:]
        links.append(NeedLink(text, _place(need, form)))
    return tuple(links)


def _place(need: Need, form: QuestionForm | None) -> str:
    if need.slot:
        return f"#{slot_id(slot_key(need.party_id, need.slot))}"
    found = form.control_id_of(need.field) if form and need.field else ""
    return f"#{found}" if found else ""


def customer_name(who: User | None) -> str:
    """The name of a customer; empty for nobody, for one without a name, and for everybody at the desk."""
    return "" if who is None or who.is_agent else who.get_full_name()


def sees_technical_reasons(request: HttpRequest) -> bool:
    """Whether technical reasons are for this reader: an agent, or whoever tries the demo. A customer can't use them."""
    return settings.DEMO or bool(getattr(request.user, "is_agent", False))


EMAIL = "email"
_LONGEST = 254


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


def validated_email(typed: str) -> EmailControl:
    """What was posted, judged."""
    box = EmailControl(typed)
    try:
        validate_email(box.address)
    except ValidationError:
        return EmailControl(typed, gettext("Enter an e-mail address, like name@example.com"))
    too_long = len(box.address) > _LONGEST
    return EmailControl(typed, gettext("Enter an e-mail address of at most 254 characters")) if too_long else box


def posted_recipient(request: UserRequest) -> EmailControl:
    """The posted address that a letter is to go to, judged, and counted among the letters of the day. Whoever may be a
    stranger writes to nobody."""
    box = validated_email(request.POST.get(EMAIL, ""))
    if not has_confirmed(request.user):
        return EmailControl(box.typed, gettext("Confirm your own e-mail address first, at the top of this page"))
    if not box.error and not may_write_to(request, box.address):
        return EmailControl(box.typed, gettext("We can’t send any more e-mails today. Try again tomorrow"))
    return box
