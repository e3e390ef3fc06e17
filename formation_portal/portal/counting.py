"""Numbers of things in words, and lists of words, as sentences have them."""

from collections.abc import Sequence


def counted(number: int, one: str, many: str) -> str:
    """1 answer, 3 answers; nothing for none."""
    return f"{number:,} {one if number == 1 else many}" if number else ""


def listed(words: Sequence[str], last: str = "and") -> str:
    """One, two and three."""
    return f"{', '.join(words[:-1])} {last} {words[-1]}" if len(words) > 1 else "".join(words)
