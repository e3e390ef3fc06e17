"""Parse integers in texts from outside: URLs, forms, headers."""

from collections.abc import Iterable, Mapping

# The number of digits that fit into every database's integers.
_DIGITS = 18


def parse_integer(text: str, *, digits: int = _DIGITS) -> int | None:
    """Parse up to `digits` ASCII digits. Return None for other texts, even if `int` accepts them, like " +1"."""
    if text.isascii() and text.isdigit() and len(text) <= digits:
        return int(text)
    return None


def content_length(environ: Mapping[str, object]) -> int:
    """Return the length that a request states for its body, or 0. A proxy that has refused the body states the length
    in X-Refused-Length. Very long numbers are cut, since Python refuses to parse them."""
    text = str(environ.get("HTTP_X_REFUSED_LENGTH") or environ.get("CONTENT_LENGTH") or "")
    return int(text[: _DIGITS + 1]) if text.isascii() and text.isdigit() else 0


def parse_integers(texts: Iterable[str]) -> list[int]:
    """Parse every text as an integer. Return [] if any text is not an integer."""
    numbers = []
    for text in texts:
        number = parse_integer(text)
        if number is None:
            return []
        numbers.append(number)
    return numbers
