"""What was typed into a page that can no longer be saved: read back, so that it isn't lost with the page."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext

from formation_portal.contract.language import in_quotes

from .counting import listed
from .read_back import in_words
from .reply_boxes import replies_in
from .sheet import Sheet
from .words import AnswerRow


def unsaved_rows(sheet: Sheet, raw: Mapping[str, Any]) -> tuple[AnswerRow, ...]:
    """What was posted and is not what stands there, to be read and copied where it could not be saved."""
    posted = ((one, in_words(one.spec, raw.get(one.spec.name), sheet.share_classes)) for one in sheet.questions)
    return tuple(
        AnswerRow(question.label, words, question.is_name, "")
        for question, words in posted
        if words and words != in_words(question.spec, question.typed, sheet.share_classes)
    )


def unsaved_replies(post: QueryDict) -> tuple[AnswerRow, ...]:
    """What was written to our reviewer, likewise."""
    written = (reply.text for reply in replies_in(post) if reply.text.strip())
    return tuple(AnswerRow(gettext("Your reply to our reviewer"), text, is_name=False, note="") for text in written)


def held_words(labels: Iterable[str]) -> str:
    """That what was posted of these is left, since it was accepted; empty where nothing was."""
    named = [in_quotes(label) for label in labels]
    if not named:
        return ""
    words = {"names": listed(named)}
    if len(named) == 1:
        return gettext("%(names)s was not changed, because our reviewer has accepted it.") % words
    return gettext("%(names)s were not changed, because our reviewer has accepted them.") % words
