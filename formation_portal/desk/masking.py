"""Mask people's identity numbers until an agent asks to see them, also in messages of the service."""

import re
from dataclasses import dataclass
from functools import cached_property

from formation_portal.applications.draft import Draft
from formation_portal.applications.readback import answer_in_words
from formation_portal.contract import canonical
from formation_portal.reviews.targets import Target, field_at

_SHOWN = 3
# The shown end of a shorter number would be most of the number.
_SHORT = 5


@dataclass(frozen=True, slots=True)
class Mask:
    """A masked number. `ending` has its last letters and digits, "" for a short number. The mask hides the length."""

    ending: str

    def __str__(self) -> str:
        return f"•••••{self.ending}"


def mask_of(number: str) -> Mask:
    """Mask a number, ignoring hyphens and spaces."""
    characters = "".join(filter(str.isalnum, number))
    return Mask(characters[-_SHOWN:] if len(characters) > _SHORT else "")


def is_identity_number(draft: Draft, target: Target) -> bool:
    spec = field_at(draft, target)
    party = draft.party(target.holder)
    return bool(spec and party and canonical.is_identity_number(spec.canonical_field, kind=party.kind))


class TextMasking:
    """The masking of texts: replaces every identity number of the application's parties with its mask. No SQL query."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft

    def masked(self, text: str) -> str:
        """Return the text with every number masked, even if written with other separators than in the answer."""
        if not text:
            return ""
        plain = _plain(text)
        for number, pattern, mask in self._patterns:
            if number in plain or not number.isascii():
                text = re.sub(pattern, mask, text, flags=re.IGNORECASE)
        return text

    @cached_property
    def _patterns(self) -> list[tuple[str, str, str]]:
        """Return each number's letters and digits, its search expression and its mask; the longest number first."""
        numbers = set()
        for party in self._draft.parties:
            for spec in self._draft.schema.fields_of(party.kind, party.roles):
                if canonical.is_identity_number(spec.canonical_field, kind=party.kind):
                    numbers.add(answer_in_words(spec, party.raw.get(spec.name)))
        patterns = []
        for number in sorted(numbers, key=len, reverse=True):
            characters = [re.escape(character) for character in number if character.isalnum()]
            if characters:
                pattern = r"[\W_]*".join(characters)
                patterns.append((_plain(number), rf"(?<!\w){pattern}(?!\w)", str(mask_of(number))))
        return patterns


def _plain(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()
