"""What was typed into a page that can no longer be saved: read back, so that it isn't lost with the page."""

from collections.abc import Mapping
from typing import Any

from .sheet import Sheet
from .words import AnswerRow, in_words


def unsaved_rows(sheet: Sheet, raw: Mapping[str, Any]) -> tuple[AnswerRow, ...]:
    """What was posted and is not what stands there, to be read and copied where it could not be saved."""
    posted = ((one, in_words(one.spec, raw.get(one.spec.name), sheet.share_classes)) for one in sheet.questions)
    return tuple(
        AnswerRow(question.label, words, question.is_name, "")
        for question, words in posted
        if words and words != in_words(question.spec, question.typed, sheet.share_classes)
    )
