"""Parts of a whole in percent."""

from fractions import Fraction


def percent(part: Fraction) -> str:
    """60%, or 33.33%: cut off, not rounded, so that nobody seems to reach what they don't."""
    hundredths = part * 10_000 // 1
    return f"{hundredths // 100}.{hundredths % 100:02}".rstrip("0").rstrip(".") + "%"
