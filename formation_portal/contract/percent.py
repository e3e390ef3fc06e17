"""Parts of a whole in percent, in the notation of the page."""

from decimal import Decimal
from fractions import Fraction

from .language import figure, language


def percent(part: Fraction) -> str:
    """60%, or 33.33%: cut off, not rounded, so that nobody seems to reach what they don't."""
    hundredths = part * 10_000 // 1
    return _with_sign(figure(Decimal(hundredths) / 100))


def _with_sign(number: str) -> str:
    return number + ("%" if language() == "en" else "\u00a0%")
