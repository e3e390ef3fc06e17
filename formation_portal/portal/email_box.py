"""One e-mail address that somebody typed, and what is wrong with it."""

from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext

from formation_portal.accounts.addresses import has_confirmed
from formation_portal.accounts.policies import UserRequest
from formation_portal.accounts.writing_limits import may_write_to
from formation_portal.portal.options import Problem

BOX = "email"
_LONGEST = 254


@dataclass(frozen=True, slots=True)
class EmailBox:
    """The control: what stands in it, and the words at it where that is no address."""

    typed: str
    error: str = ""

    @property
    def address(self) -> str:
        """As it is kept: one address, one spelling."""
        return self.typed.strip().lower()

    @property
    def problems(self) -> tuple[Problem, ...]:
        return (Problem(BOX, self.error),) if self.error else ()


def read_email(typed: str) -> EmailBox:
    """What was posted, judged."""
    box = EmailBox(typed)
    try:
        validate_email(box.address)
    except ValidationError:
        return EmailBox(typed, gettext("Enter an e-mail address, like name@example.com"))
    too_long = len(box.address) > _LONGEST
    return EmailBox(typed, gettext("Enter an e-mail address of at most 254 characters")) if too_long else box


def read_receiver(request: UserRequest) -> EmailBox:
    """The posted address that a letter is to go to, judged, and counted among the letters of the day. Whoever may be a
    stranger writes to nobody."""
    box = read_email(request.POST.get(BOX, ""))
    if not has_confirmed(request.user):
        return EmailBox(box.typed, gettext("Confirm your own e-mail address first, at the top of this page"))
    if not box.error and not may_write_to(request, box.address):
        return EmailBox(box.typed, gettext("We can’t send any more e-mails today. Try again tomorrow"))
    return box
