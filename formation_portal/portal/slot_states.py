"""How a slot stands, from what the relay and the service know: a mark, a word, a day, and what else there is to say."""

from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from formation_portal.applications.models import Document
from formation_portal.relay.delivery_status import DeliveryStage, DeliveryStatus
from formation_portal.relay.models import APPROVED

from . import moments
from .note import Note

_ON_ITS_WAY = (DeliveryStage.SENDING, DeliveryStage.WAITING, DeliveryStage.CHECKING)


@dataclass(frozen=True, slots=True)
class SlotState:
    """`detail` says more of the word, `note` why it came back, or why our team has it."""

    mark: str
    word: str
    when: str = ""
    detail: str = ""
    note: str = ""


def empty_slot(*, is_required: bool) -> SlotState:
    """A slot without a file."""
    return SlotState("open", _("Missing") if is_required else _("Not uploaded"))


def slot_state(document: Document, view: DeliveryStatus) -> SlotState:
    """A slot with a file: Saved, Checking, Received, or Returned to you; never refused while that is not known."""
    if view.is_refused:
        note = next((problem.message for problem in view.problems), "")
        return SlotState("heed", _("Returned to you"), _day_of(view), note=note)
    if view.why:
        return SlotState("heed", str(view.words), note=str(view.why))
    if view.state in _ON_ITS_WAY:
        return SlotState("half", _("Checking"), detail=str(view.words))
    if view.document_status == APPROVED:
        return SlotState("met", str(view.words), _day_of(view), detail=_accepted(view))
    if view.state is DeliveryStage.RECEIVED:
        return SlotState("met", str(view.words), _day_of(view))
    return SlotState("met", str(view.words))


def came_back_slot(stands: SlotState, asked: Note | None, *, is_locked: bool) -> SlotState:
    """The same once our reviewer has accepted what is there, or asks about it and nobody has done anything since."""
    if is_locked:
        return replace(stands, mark="met", detail=_("Accepted."))
    if asked and not asked.is_answered:
        return replace(stands, mark="heed", word=_("Returned to you"), when="", detail="")
    return stands


def _accepted(view: DeliveryStatus) -> str:
    return " ".join(filter(None, (_("Accepted."), view.note)))


def _day_of(view: DeliveryStatus) -> str:
    return moments.day(view.at.date()) if view.at else ""
