"""What the check page shows under one heading: a section, a party or a share class."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from formation_portal.applications.readback import (
    AnswerGroup,
)
from formation_portal.relay.delivery_status import STAGE_WORDS, DeliveryStage, DeliveryStatus
from formation_portal.ui.formats import counted
from formation_portal.ui.forms.question import AnswerRow
from formation_portal.ui.ownership import join_sentences

from ..pages import Link


@dataclass(frozen=True)
class CheckEntry:
    """Answers under one heading: the heading's id, the rows, how far they have come, and what is still needed there.

    `is_unchanged` says that an application that came back has nothing new here, and nobody asks about it; `documents`
    are a party's. A party or a share class is folded unless it `is_open`: something was changed, or may be amiss.
    """

    id: str
    group: AnswerGroup[Any]
    rows: list[AnswerRow]
    delivery: DeliveryStatus
    needs: tuple[Link, ...]
    is_unchanged: bool
    documents: list[AnswerRow]
    is_open: bool

    @property
    def is_received(self) -> bool:
        return self.delivery.state is DeliveryStage.RECEIVED

    @property
    def facts(self) -> str:
        """Director. 16 answers, 4 documents, unchanged. Received."""
        counts = (
            counted(len(self.answered), "{count} answer", "{count} answers"),
            counted(len(self.uploaded), "{count} document", "{count} documents"),
            gettext("unchanged") if self.is_unchanged else "",
        )
        received = gettext(STAGE_WORDS[self.delivery.state]) if self.is_received else ""
        return join_sentences(self.group.note, ", ".join(filter(None, counts)), received)

    @property
    def answered(self) -> list[AnswerRow]:
        return answered_rows(self.rows)

    @property
    def read_back(self) -> list[AnswerRow]:
        """A party's answers, then its documents."""
        return [*self.answered, *self.uploaded]

    @property
    def unanswered(self) -> list[AnswerRow]:
        """What nobody has to answer or upload, and nobody has."""
        return [*unanswered_rows(self.rows), *unanswered_rows(self.documents)]

    @property
    def uploaded(self) -> list[AnswerRow]:
        return answered_rows(self.documents)


def answered_rows(rows: Iterable[AnswerRow]) -> list[AnswerRow]:
    """With what the registered agent provides, and what was typed and can't be read."""
    return [row for row in rows if row.value or row.state == "stop"]


def unanswered_rows(rows: Iterable[AnswerRow]) -> list[AnswerRow]:
    """The others."""
    answered = answered_rows(rows := list(rows))
    return [row for row in rows if row not in answered]
