"""Hold the answers that the check page shows under one heading: of a section, a party or a share class."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from formation_portal.applications.readback import AnswerGroup
from formation_portal.relay.delivery_status import DeliveryStage, DeliveryStatus
from formation_portal.ui.formats import counted
from formation_portal.ui.forms.question import AnswerRow
from formation_portal.ui.ownership import join_sentences

from ..pages import Link


@dataclass(frozen=True)
class CheckEntry:
    """The answers under one heading, with their delivery and what is still needed there. `documents` are a party's.

    An entry of a returned application `is_unchanged` if nothing in it is new or queried. A party or a share class is
    folded unless it `is_open`, because something was changed or needs a second look.
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
    def facts(self) -> str:
        """Summarise the entry: "Director. 16 answers, 4 documents, unchanged. Received."."""
        counts = (
            counted(len(answered_rows(self.rows)), "{count} answer", "{count} answers"),
            counted(len(answered_rows(self.documents)), "{count} document", "{count} documents"),
            gettext("unchanged") if self.is_unchanged else "",
        )
        is_received = self.delivery.state is DeliveryStage.RECEIVED
        received = gettext(self.delivery.state.label) if is_received else ""
        return join_sentences(self.group.note, ", ".join(filter(None, counts)), received)

    @property
    def answered(self) -> list[AnswerRow]:
        """Return the answers, then the documents."""
        return answered_rows((*self.rows, *self.documents))

    @property
    def unanswered(self) -> list[AnswerRow]:
        """Return the optional answers and documents that are empty."""
        return unanswered_rows((*self.rows, *self.documents))


def answered_rows(rows: Iterable[AnswerRow]) -> list[AnswerRow]:
    """Return the rows with a value, or with one that can't be read."""
    return [row for row in rows if row.value or row.state == "stop"]


def unanswered_rows(rows: Iterable[AnswerRow]) -> list[AnswerRow]:
    """Return the rows without a value."""
    return [row for row in rows if not row.value and row.state != "stop"]
