"""What a form post says, field by field, exactly as typed."""

import logging
from collections.abc import Iterable
from typing import Any

from django.http import QueryDict

from formation_portal.contract.values import Raw
from formation_portal.whole_numbers import whole_number

from .sheet import Region, Sheet

# The control of the button that restores the party first; its value is the party's token.
RESTORE = "restore"


KEEP = "keep:"
THEIRS = "theirs"


_PREFIX = "q:"
# The control of the boxes with a party's roles.
ROLES = "roles"

logger = logging.getLogger(__name__)


def read_answers(sheet: Sheet, post: QueryDict) -> dict[str, Raw]:
    """The posted answers of the sheet by field name; what the form did not hold is absent.

    An answer that nobody asks for, or that only the agent gives, is ignored and logged without its value.
    """
    shown = frozenset(post.getlist("shown"))
    raw: dict[str, Raw] = {}
    # Two questions under opposite rules may share one answer: what the person saw is read last, and so wins.
    for region in sorted(sheet.regions, key=lambda one: not one.is_conditional or one.id in shown):
        raw |= _of_region(region, post)
    _log_ignored(post, _known(sheet))
    return raw


def _of_region(region: Region, post: QueryDict) -> dict[str, Any]:
    read = (
        (question.spec.name, question.spec.newest(question.spec.posted(post, question.name), question.typed))
        for question in region.questions
        if question.is_asked and not keeps_theirs(post, question.name)
    )
    return {name: answer for name, answer in read if answer is not None}


def _known(sheet: Sheet) -> Iterable[str]:
    for question in sheet.questions:
        if question.is_asked:
            yield question.name
            yield from (part.name for part in question.parts)


def _log_ignored(post: QueryDict, known: Iterable[str]) -> None:
    ignored = {name for name in post if name.startswith(_PREFIX)}.difference(known)
    if ignored:
        logger.info("ignored answers that nobody asks for: %r", sorted(name[:80] for name in ignored)[:20])


def keeps_theirs(post: QueryDict, control: str) -> bool:
    """Whether the person chose to keep what was stored meanwhile."""
    return post.get(f"{KEEP}{control}") == THEIRS


def posted_version(post: QueryDict) -> int:
    """The version that the page was drawn from; one that cannot be read is older than any."""
    version = whole_number(post.get("version", ""), digits=9)
    return -1 if version is None else version
