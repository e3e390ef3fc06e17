"""Parse integers in texts from outside: addresses, forms, headers."""

from collections.abc import Iterable, Mapping

# Every database's integers have room for so many digits.
_DIGITS = 18


def parse_integer(text: str, *, digits: int = _DIGITS) -> int | None:
    """Parse plain digits only: `int` accepts signs, blanks, underscores and the digits of every script."""
    if text.isascii() and text.isdigit() and len(text) <= digits:
        return int(text)
    return None


def content_length(environ: Mapping[str, object]) -> int:
    """Return the length that a request gives for its body (X-Refused-Length of a proxy that has refused it), or 0. Very
    long numbers are cut, since Python refuses to read them."""
    text = str(environ.get("HTTP_X_REFUSED_LENGTH") or environ.get("CONTENT_LENGTH") or "")
    return int(text[: _DIGITS + 1]) if text.isascii() and text.isdigit() else 0


def parse_integers(texts: Iterable[str]) -> list[int]:
    """Parse every text as an integer. Return [] if any of them is not one."""
    numbers = []
    for text in texts:
        number = parse_integer(text)
        if number is None:
            return []
        numbers.append(number)
    return numbers
