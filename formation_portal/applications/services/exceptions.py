"""Why a change was not made. Nothing was written when one of these is raised."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from formation_portal.contract.language import say
from formation_portal.contract.lifecycle import State
from formation_portal.contract.needs import Need

from ..models import Change


class Closed(Exception):
    """The application's state does not allow it."""

    def __init__(self, state: State) -> None:
        super().__init__(say("The application is “{state}” and can’t be changed", state=state.words))
        self.state = state


class FormChanged(Closed):
    """The draft has taken another version of its form over since it was opened."""

    def __init__(self) -> None:
        super().__init__(State.DRAFT)
        self.args = (say("The form has changed since you opened the page. Open it again"),)


class LockedByReview(Closed):
    """What was to be changed was checked and accepted; it stays as it is."""

    def __init__(self) -> None:
        super().__init__(State.RETURNED_FOR_CHANGES)
        self.args = (say("Our reviewer has accepted this, so you can’t change it"),)


class Gone(LookupError):
    """The party, share class or document was removed meanwhile."""


class Stale(Exception):
    """Somebody saved since the page was opened. Both texts: what stands there, and what was posted, by name.

    `fields` are those in which both have written; `left` those that only others have, and `changes` is what the history
    says of either.
    """

    def __init__(
        self,
        *,
        stored: Mapping[Any, Any],
        posted: Mapping[Any, Any],
        fields: Sequence[Any],
        kept_theirs: Sequence[Any] = (),
        changes: Mapping[Any, Change] = MappingProxyType({}),
    ) -> None:
        super().__init__(say("Someone has changed this since you opened it"))
        self.stored = stored
        self.posted = posted
        self.fields = tuple(fields)
        self.kept_theirs = tuple(kept_theirs)
        self.changes = changes


class Overtaken(Exception):
    """A choice can't be taken back, since it was answered again. The labels are those of its questions."""

    def __init__(self, labels: Sequence[str]) -> None:
        super().__init__(say("This question has been answered again since"))
        self.labels = tuple(labels)


class NotReady(Exception):
    """Something is still needed before the application can be submitted."""

    def __init__(self, needs: Sequence[Need]) -> None:
        super().__init__(say("Some answers are still missing"))
        self.needs = tuple(needs)


class NotCopied(Exception):
    """The documents can't be stored a second time at present."""

    def __init__(self) -> None:
        super().__init__(say("We could not copy the documents just now. Try again in a few minutes"))


class Unread(Exception):
    """The application was changed since the page was drawn that declares, withdraws or deletes it.

    `changes` are the newest ones, the last first.
    """

    def __init__(self, changes: Sequence[Change]) -> None:
        super().__init__(say("Something has changed since you opened this page"))
        self.changes = tuple(changes)


class UploadRefused(Exception):
    """The file cannot be taken; the message says what to do."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
