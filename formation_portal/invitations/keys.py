"""Keys of links and codes of letters: made at random, and known here by their digests alone."""

import hashlib
import secrets

from django.utils.crypto import salted_hmac

_KEY_BYTES = 32
_CODE_DIGITS = 6
_SALT = "formation_portal.invitations.code"


def new_key() -> str:
    """256 random bits for a link."""
    return secrets.token_urlsafe(_KEY_BYTES)


def digest(key: str) -> str:
    """What is kept of a key. Nobody can guess 256 bits, so that it needs no salt."""
    return hashlib.sha256(key.encode()).hexdigest()


def new_code() -> str:
    """Six random digits."""
    return f"{secrets.randbelow(10**_CODE_DIGITS):0{_CODE_DIGITS}}"


def code_digest(code: str, *, of: str) -> str:
    """What is kept of a code that opens one thing. A million is soon tried, so our own secret goes in."""
    return salted_hmac(_SALT, f"{of}:{code}", algorithm="sha256").hexdigest()


def digits(typed: str) -> str:
    """The digits of a code as somebody typed it, in any script, with whatever stands between them."""
    return "".join(str(int(letter)) for letter in typed[:100] if letter.isdecimal())
