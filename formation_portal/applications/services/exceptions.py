"""Refusals of writes. After any of these exceptions, nothing was written."""

from collections.abc import Sequence

from django.utils.translation import gettext

from formation_portal.contract.lifecycle import State
from formation_portal.contract.localisation import format_number, ngettext
from formation_portal.contract.needs import Need
from formation_portal.contract.record import MAX_PARTIES

from ..models import Change


class Closed(Exception):
    """The application's state does not allow the change."""

    def __init__(self, state: State) -> None:
        super().__init__(gettext("The application is “{state}” and can’t be changed").format(state=state.words))


class FormChanged(Closed):
    """The draft was moved to another version of its form since it was loaded."""

    def __init__(self) -> None:
        Exception.__init__(self, gettext("The form has changed since you opened the page. Open it again"))


class PaymentDue(Closed):
    """The formation service carries out the submission only once the customer has paid."""

    def __init__(self) -> None:
        Exception.__init__(self, gettext("The formation service is waiting for the customer’s payment"))


class LockedByReview(Closed):
    """The content to be changed has been accepted by a reviewer."""

    def __init__(self) -> None:
        Exception.__init__(self, gettext("Our reviewer has accepted this, so you can’t change it"))


class TooManyParties(Closed):
    """The application would exceed MAX_PARTIES. `room` is how many more fit, which may be negative."""

    def __init__(self, room: int) -> None:
        limit = format_number(MAX_PARTIES)
        if room > 0:
            message = ngettext(
                "An application can have at most {limit} people and companies. You can add {count} more",
                "An application can have at most {limit} people and companies. You can add {count} more",
                room,
                limit=limit,
            )
        else:
            message = ngettext(
                "An application can have at most {limit} people and companies. Remove {count} before you add another",
                "An application can have at most {limit} people and companies. Remove {count} before you add another",
                1 - room,
                limit=limit,
            )
        Exception.__init__(self, message)


class Gone(LookupError):
    """The party, share class, document or account was removed in the meantime."""


class Overtaken(Exception):
    """A choice cannot be undone, since its question was answered again. `labels` name such questions."""

    def __init__(self, labels: Sequence[str]) -> None:
        super().__init__(gettext("This question has been answered again since"))
        self.labels = tuple(labels)


class SharesExceedWhole(Exception):
    """The owners of a company would hold more than 100% of it."""


class NotReady(Exception):
    """Answers are missing that the application needs before it can be submitted."""

    def __init__(self, needs: Sequence[Need]) -> None:
        super().__init__(gettext("Some answers are still missing"))
        self.needs = tuple(needs)


class NotCopied(Exception):
    """The documents cannot be copied at present, or a copy would exceed the account's room or MAX_PARTIES."""

    def __init__(self, message: str = "") -> None:
        super().__init__(message or gettext("We could not copy the documents just now. Try again in a few minutes"))


class Unread(Exception):
    """The application has changed since its reader opened the page. `changes` are sorted newest first."""

    def __init__(self, changes: Sequence[Change]) -> None:
        super().__init__(gettext("Something has changed since you opened this page"))
        self.changes = tuple(changes)


class UploadRefused(Exception):
    """The file is refused; the message says what to do."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
