"""Why something of a review was not done. Nothing was written when one of these is raised."""

from collections.abc import Mapping, Sequence

from .changes_since import ReviewChange
from .checklist import ApprovalBlocker, Fact


class ReviewChanged(Exception):
    """Others have changed the review, or its application, since the page was drawn; what, the newest first."""

    def __init__(self, changes: Sequence[ReviewChange]) -> None:
        super().__init__("A colleague or the customer changed this after you opened the page.")
        self.changes = tuple(changes)


class NotApprovable(Exception):
    """Something speaks against the decision; a sentence each, with the place that it is about."""

    def __init__(self, blockers: Sequence[ApprovalBlocker]) -> None:
        super().__init__("Some checks or queries are still open.")
        self.blockers = tuple(blockers)


class DocumentsNotOpened(Exception):
    """Whoever accepts or decides has not opened these documents; said so, it goes on."""

    def __init__(self, documents: Sequence[Fact]) -> None:
        super().__init__("You have not opened every document.")
        self.documents = tuple(documents)


class ReviewRefused(Exception):
    """What was posted can't be taken; `field` is the control that is wrong, `others` what else is wrong."""

    def __init__(self, message: str, *, field: str = "", others: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.field = field
        self.others = dict(others or {})

    @classmethod
    def for_fields(cls, errors: Mapping[str, str]) -> "ReviewRefused":
        """Everything that is wrong, by its control; there is at least one."""
        (field, message), *others = errors.items()
        return cls(message, field=field, others=dict(others))
