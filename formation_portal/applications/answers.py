"""The one place where what people typed enters and leaves the database.

Every model that keeps typed answers keeps them in this field, so that encrypting them later changes this file only.
"""

from collections.abc import Mapping
from typing import Any

from django.db import models

from formation_portal.contract.reading import is_blank


class AnswersField(models.JSONField):
    """JSON with personal data: answers as typed, or lists and payloads made of them."""


# Of all answers of one application together: four times what 500 people in every role take.
CHARACTERS_AT_MOST = 2_000_000
# A party or share class counts as so many, whatever is answered about it.
CHARACTERS_OF_A_HOLDER = 500


def characters(raw: Any) -> int:
    """How many characters an answer, or a set of them, keeps."""
    if isinstance(raw, str):
        return len(raw)
    if isinstance(raw, Mapping):
        return sum(len(name) + characters(one) for name, one in raw.items())
    return sum(map(characters, raw)) if isinstance(raw, list | tuple) else 1


def without_blanks(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The answers that say anything; a blank one and a missing one are the same."""
    return {name: value for name, value in raw.items() if not is_blank(value)}


def differing(stored: Mapping[str, Any], posted: Mapping[str, Any]) -> tuple[str, ...]:
    """The posted names whose text is not the stored one."""
    kept = without_blanks(stored)
    return tuple(name for name, value in posted.items() if (None if is_blank(value) else value) != kept.get(name))
