"""The numbers that people are known by, as the desk shows them until an agent asks to see them: how they end."""

from dataclasses import dataclass

from formation_portal.applications.draft import Draft
from formation_portal.contract import canonical
from formation_portal.reviews.targets import Target, field_at

_SEEN = 3
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
    told = [one for one in number if one.isalnum()]
    return Mask("".join(told[-_SEEN:]) if len(told) > _SHORT else "")


def is_masked(draft: Draft, place: Target) -> bool:
    """Whether what is answered, or proposed, at a place is such a number."""
    spec, party = field_at(draft, place), draft.party(place.holder)
    return bool(spec and party and canonical.is_identity_number(spec.canonical_field, kind=party.kind))
