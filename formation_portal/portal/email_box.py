"""One e-mail address that somebody typed, and what is wrong with it."""

from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext

from .lists import Problem

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
