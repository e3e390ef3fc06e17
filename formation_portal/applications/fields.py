"""Answers as columns hold them, and the random references and tokens that name rows in URLs."""

import secrets
from collections.abc import Mapping
from typing import Any

from django.db import models

from formation_portal.contract.fields.parsing import is_blank

# All answers of one application together: forty times what 200 people in every role need.
MAX_CHARACTERS = 8_000_000
# Each party or share class counts as this many characters besides its answers.
CHARACTERS_PER_HOLDER = 500
# Crockford's base 32, which can be read aloud: it has no I, L, O or U.
_LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_TOKEN_LENGTH = 10


class ScanState(models.TextChoices):
    """The malware scanner's answer about a file."""

    NONE = "", "Not scanned"
    WAITING = "waiting", "Checking"
    CLEAN = "clean", "Clean"


def count_characters(raw: Any) -> int:
    if isinstance(raw, str):
        return len(raw)
    if isinstance(raw, Mapping):
        raw = [*raw, *raw.values()]
    if isinstance(raw, list | tuple):
        return sum(map(count_characters, raw))
    return 1


def without_blanks(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answers that are not blank; a blank answer and a missing one are the same."""
    return {name: value for name, value in raw.items() if not is_blank(value)}


def is_same_answer(answer: Any, other: Any) -> bool:
    """Compare two answers; a blank answer and a missing one are equal."""
    return bool(answer == other) or (is_blank(answer) and is_blank(other))


def changed_answers(stored: Mapping[Any, Any], posted: Mapping[Any, Any]) -> dict[Any, Any]:
    return {name: answer for name, answer in posted.items() if not is_same_answer(answer, stored.get(name))}


def new_reference() -> str:
    """Make a reference of an application, like FP-7K3M-92QX-4TBD: 60 random bits."""
    return f"FP-{_letters(4)}-{_letters(4)}-{_letters(4)}"


def new_token() -> str:
    """Make a token of a party or share class, like 7k3m92qx4t: 50 random bits, unique within an application."""
    return _letters(_TOKEN_LENGTH).lower()


def _letters(count: int) -> str:
    return "".join(secrets.choice(_LETTERS) for _ in range(count))


def is_token(text: str) -> bool:
    return len(text) == _TOKEN_LENGTH and set(text) <= set(_LETTERS.lower())
