"""Parts of a whole in percent."""

from decimal import Decimal
from fractions import Fraction

from formation_portal.contract.language import figure, language


def percent(part: Fraction) -> str:
    """60%, or 33.33%: cut off, not rounded, so that nobody seems to reach what they don't."""
    hundredths = part * 10_000 // 1
    return figure(Decimal(hundredths) / 100) + ("%" if language() == "en" else "\u00a0%")
