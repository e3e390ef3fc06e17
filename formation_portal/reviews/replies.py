"""What a customer answers to what was asked, while the application waits for them."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils import timezone

from formation_portal.applications.draft import Draft
from formation_portal.applications.history import Author
from formation_portal.applications.services import Closed
from formation_portal.applications.services.transactions import application_transaction
from formation_portal.audit import chain
from formation_portal.audit.models import AuditAction
from formation_portal.contract.lifecycle import State

from .models import TEXT_LIMIT, Remark


@dataclass(frozen=True, slots=True)
class Reply:
    """What was written to the question of this number; `was` is what stood there when it was written."""

    number: int
    text: str
    was: str


def keep(draft: Draft, replies: Sequence[Reply], *, by: Author) -> int:
    """Keep answers to open questions; to how many of them. Four queries, however many there are.

    What somebody else has written there meanwhile stays, before it. Raises Closed.
    """
    with application_transaction(draft, by=by):
        if draft.application.status is not State.RETURNED_FOR_CHANGES:
            raise Closed(draft.application.status)
        sent = Remark.objects.filter(application=draft.application, dropped_at=None, settled_at=None)
        asked = sent.exclude(sent_at=None).in_bulk([reply.number for reply in replies])
        came = [reply for reply in replies if reply.number in asked]
        written = [asked[one.number] for one in came if _write(asked[one.number], _lines(one.text), _lines(one.was))]
        if written:
            Remark.objects.bulk_update(written, ["reply", "replied_at"])
            did = {"reply": [remark.pk for remark in written]}
            chain.append(AuditAction.REVIEW, by=by, application=draft.application, rows=written, did=did)
        return len(came)


def _write(remark: Remark, words: str, was: str) -> bool:
    if words in (was, remark.reply):
        return False
    joined = words if remark.reply == was else f"{remark.reply}\n\n{words}".strip()
    remark.reply = joined[:TEXT_LIMIT]
    remark.replied_at = timezone.now() if remark.reply else None
    return True


def _lines(text: str) -> str:
    """As it is kept: browsers post other ends of lines."""
    return text.replace("\r\n", "\n").replace("\x00", "").strip()
