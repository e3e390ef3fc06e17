"""The numbers that people are known by, masked on the desk until an agent asks to see them, also where the formation
service quotes one.
"""

import re
from dataclasses import dataclass
from functools import cached_property

from formation_portal.applications.draft import Draft
from formation_portal.applications.readback import answer_in_words
from formation_portal.contract import canonical
from formation_portal.reviews.targets import Target, field_at

_SHOWN = 3
# Of a number as short as this, its end would be most of it.
_SHORT = 5


@dataclass(frozen=True, slots=True)
class Mask:
    """What is seen of a number: its last letters and digits, or none. How long it is, it doesn't tell."""

    ending: str

    def __str__(self) -> str:
        return f"•••••{self.ending}"


def mask_of(number: str) -> Mask:
    """The mask of one number. Hyphens and spaces are no part of it."""
    characters = [one for one in number if one.isalnum()]
    return Mask("".join(characters[-_SHOWN:]) if len(characters) > _SHORT else "")


def is_identity_number(draft: Draft, target: Target) -> bool:
    """Whether what is answered, or proposed, at a place is such a number."""
    spec, party = field_at(draft, target), draft.party(target.holder)
    return bool(spec and party and canonical.is_identity_number(spec.canonical_field, kind=party.kind))


class TextMasking:
    """Lies over words about one application. No query, and nothing is looked for where nothing is said."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft

    def masked(self, text: str) -> str:
        """The words with every number masked, however it is grouped there."""
        plain = _plain(text)
        for letters, number, seen in self._patterns if text else ():
            if letters in plain or not letters.isascii():
                text = re.sub(number, seen, text, flags=re.IGNORECASE)
        return text

    @cached_property
    def _patterns(self) -> list[tuple[str, str, str]]:
        """The letters and digits of each number, which most texts don't have; what finds it, the same ones in order and
        no part of a longer word; and its mask. The longest first, since a short one may be a part of it."""
        numbers = {
            number
            for party in self._draft.parties
            for spec in self._draft.schema.fields_of(party.kind, party.roles)
            if canonical.is_identity_number(spec.canonical_field, kind=party.kind)
            if any(map(str.isalnum, number := answer_in_words(spec, party.raw.get(spec.name))))
        }
        found = []
        for number in sorted(numbers, key=len, reverse=True):
            pattern = r"[\W_]*".join(re.escape(one) for one in number if one.isalnum())
            found.append((_plain(number), rf"(?<!\w){pattern}(?!\w)", str(mask_of(number))))
        return found


def _plain(text: str) -> str:
    """Its letters and digits, in any spelling of capitals."""
    return "".join(filter(str.isalnum, text)).casefold()
