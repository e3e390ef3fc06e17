"""Integers in texts from outside: addresses, forms, headers."""

from collections.abc import Iterable, Mapping

# The most that fit into any database's number.
_DIGITS = 18


def parse_integer(text: str, *, digits: int = _DIGITS) -> int | None:
    """The number, or None where the text is anything but up to so many plain digits.

    `int` alone takes signs, blanks, underscores and the digits of every script.
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else None


def content_length(environ: Mapping[str, object]) -> int:
    """Return the length that a request gives for its body, or 0 if it gives no number.

    A proxy that keeps back a body which is too large gives its length in X-Refused-Length. A number with more digits
    than any body is cut: Python refuses to read the longest ones.
    """
    text = str(environ.get("HTTP_X_REFUSED_LENGTH") or environ.get("CONTENT_LENGTH") or "")
    return int(text[: _DIGITS + 1]) if text.isascii() and text.isdigit() else 0


def parse_integers(texts: Iterable[str]) -> list[int]:
    """The numbers, or none where one of the texts isn't any: what is said by several says nothing by some of them."""
    found = [parse_integer(text) for text in texts]
    numbers = [number for number in found if number is not None]
    return numbers if len(numbers) == len(found) else []
