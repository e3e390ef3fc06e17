"""Who works on an application, with their rights, and asking somebody in."""

from dataclasses import dataclass

from django.conf import settings
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from formation_portal.applications.access import GRANTABLE, Collaborator, Right
from formation_portal.applications.draft import Draft

from .email_box import EmailBox
from .moments import day, moment

_HELP = {
    Right.VIEW: gettext_lazy("Can see every page and document, but not change anything"),
    Right.EDIT: gettext_lazy("Can edit, but not submit or share"),
}


@dataclass(frozen=True, slots=True)
class RightChoice:
    """One right that can be given."""

    value: str
    label: str
    help: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class AccessLine:
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
class AccessPage:
    """The whole page."""

    draft: Draft
    lines: tuple[AccessLine, ...]
    box: EmailBox
    rights: tuple[RightChoice, ...]

    @property
    def days(self) -> int:
        return int(settings.INVITATION_DAYS)

    @property
    def overview_url(self) -> str:
        return reverse("portal:overview", args=[self.draft.application.reference])

    @property
    def owner(self) -> str:
        return self.draft.application.owner.called


def access_page(draft: Draft, *, box: EmailBox | None = None, right: Right = Right.VIEW) -> AccessPage:
    """The page as things stand: two queries."""
    found = draft.application.collaborators.select_related("user")
    return AccessPage(
        draft=draft,
        lines=tuple(_line(draft, one) for one in found),
        box=box or EmailBox(""),
        rights=tuple(RightChoice(one.value, str(one.words), str(_HELP[one]), one is right) for one in GRANTABLE),
    )


def _line(draft: Draft, one: Collaborator) -> AccessLine:
    right = Right(one.right)
    other = next(each for each in GRANTABLE if each is not right)
    arguments = [draft.application.reference, one.pk]
    state, status = _status(one)
    return AccessLine(
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


def _status(one: Collaborator) -> tuple[str, str]:
    if one.accepted_at:
        return "met", gettext("Since %(day)s") % {"day": day(one.accepted_at.date())}
    if one.expires_at <= timezone.now():
        return "heed", gettext("The invitation expired on %(day)s") % {"day": day(one.expires_at.date())}
    return "open", gettext("Invited on %(time)s, not accepted yet") % {"time": moment(one.asked_at)}
