"""What a customer answers to what was asked, while the application waits for them."""

from django.utils import timezone

from formation_portal.applications.drafts import Draft
from formation_portal.applications.saving import Closed
from formation_portal.applications.saving.authors import Author
from formation_portal.applications.saving.writing import writing
from formation_portal.contract.lifecycle import State

from .models import TEXT_LIMIT, Remark


def reply(draft: Draft, number: int, text: str, *, was: str, by: Author) -> bool:
    """Keep an answer to an open question; False where there is none. `was` is what stood there when it was written.

    What somebody else has written there meanwhile stays, before it. Raises Closed.
    """
    with writing(draft, by=by):
        if draft.application.stands is not State.RETURNED_FOR_CHANGES:
            raise Closed(draft.application.stands)
        sent = Remark.objects.filter(application=draft.application, dropped_at=None, settled_at=None)
        remark = sent.exclude(sent_at=None).filter(pk=number).first()
        if remark is None:
            return False
        words = _lines(text)
        if words == _lines(was) or words == remark.reply:
            return True
        is_news = remark.reply != _lines(was)
        joined = f"{remark.reply}\n\n{words}".strip() if is_news else words
        remark.reply = joined[:TEXT_LIMIT]
        remark.replied_at = timezone.now() if remark.reply else None
        remark.save(update_fields=["reply", "replied_at"])
        return True


def _lines(text: str) -> str:
    """As it is kept: browsers post other ends of lines."""
    return text.replace("\r\n", "\n").replace("\x00", "").strip()
