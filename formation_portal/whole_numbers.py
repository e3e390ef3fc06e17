"""Whole numbers in texts from outside: addresses, forms, headers."""

# The most that fit into any database's number.
_DIGITS = 18


def whole_number(text: str, *, digits: int = _DIGITS) -> int | None:
    """The number, or None where the text is anything but up to so many plain digits.

    `int` alone takes signs, blanks, underscores and the digits of every script.
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else None
