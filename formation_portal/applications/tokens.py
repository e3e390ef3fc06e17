"""Public names that cannot be guessed and can be read aloud: Crockford's base 32 has no I, L, O or U."""

import secrets

_LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_TOKEN_LENGTH = 10


def new_reference() -> str:
    """An application's reference, like FP-7K3M-92QX-4TBD: 60 random bits."""
    return "-".join(("FP", *(_letters(4) for _ in range(3))))


def new_token() -> str:
    """A party's or share class's name in addresses, like 7k3m92qx4t: 50 random bits, unique within an application."""
    return _letters(_TOKEN_LENGTH).lower()


def _letters(count: int) -> str:
    return "".join(secrets.choice(_LETTERS) for _ in range(count))


def is_token(text: str) -> bool:
    """Whether the text could be such a name."""
    return len(text) == _TOKEN_LENGTH and all(letter in _LETTERS.lower() for letter in text)
