"""How much of a company is accounted for, in words."""

from collections.abc import Iterable
from fractions import Fraction

from formation_portal.contract.language import noted, say
from formation_portal.contract.percent import in_percent, percent, rounded_up

_TOO_MUCH = noted("The owners of {name} add up to {known}, which is more than 100%. We scale them down to 100%.")


def together(*parts: str) -> str:
    """Short sentences in one line; a name that ends with a full stop needs no other."""
    said = [part for part in parts if part]
    return " ".join(part if place == len(said) - 1 else f"{part.removesuffix('.')}." for place, part in enumerate(said))


def remainder(name: str, parts: Iterable[Fraction]) -> str:
    """30% of Kite Holding has no known owner; that none or all are added; or that they own more than all of it."""
    known = sum(parts, Fraction(0))
    words = {"name": name, "part": in_percent(rounded_up(1 - known)), "known": percent(known)}
    if not known:
        return say("No owners added.")
    if known < 1:
        return say("{part} of {name} has no known owner.", **words)
    if known == 1:
        return say("You have added all the owners of {name}.", **words)
    return say(_TOO_MUCH, **words)
