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
    """How many bytes a request says that its body has; 0 where it says nothing that is a number.

    What has more digits than any body is as large as can be: Python itself refuses to read the longest numbers.
    """
    said = str(environ.get("CONTENT_LENGTH") or "")
    return int(said[: _DIGITS + 1]) if said.isascii() and said.isdigit() else 0


def parse_integers(texts: Iterable[str]) -> list[int]:
    """The numbers, or none where one of the texts isn't any: what is said by several says nothing by some of them."""
    found = [parse_integer(text) for text in texts]
    numbers = [number for number in found if number is not None]
    return numbers if len(numbers) == len(found) else []
