"""Letters that a receiver may unsubscribe from, and who has."""

from django.core import signing
from django.urls import reverse
from django.utils.crypto import salted_hmac

from .models import Refusal

# Everything else is asked for by its receiver, or has to be known.
OPTIONAL_KINDS = frozenset({"reminder", "nudge", "part_done"})
_SALT = "formation_portal.letters.refusal"


def is_optional(kind: str) -> bool:
    """Whether a letter of this kind says how to get no more of them."""
    return kind in OPTIONAL_KINDS


def is_unsubscribed(*, kind: str, to: str) -> bool:
    """Whether the receiver wants none of this kind."""
    return is_optional(kind) and Refusal.objects.filter(kind=kind, digest=_address_digest(to)).exists()


def unsubscribe_path(*, kind: str, to: str) -> str:
    """The path of the page where the receiver says so. It names the address to nobody."""
    return reverse("portal:letter_refusal", args=(signing.dumps([kind, _address_digest(to)], salt=_SALT),))


def kind_in_token(token: str) -> str | None:
    """The kind that a page's token is about; None where the token is not ours."""
    read = _read_token(token)
    return read[0] if read else None


def unsubscribe(token: str) -> None:
    """No more letters of the token's kind to its receiver."""
    if read := _read_token(token):
        Refusal.objects.get_or_create(kind=read[0], digest=read[1])


def _read_token(token: str) -> tuple[str, str] | None:
    try:
        kind, digest = signing.loads(token, salt=_SALT)
    except (signing.BadSignature, ValueError):
        return None
    return (kind, digest) if is_optional(kind) else None


def _address_digest(address: str) -> str:
    # As long as an address has to be hard to find for it, and short enough for a letter.
    return salted_hmac(_SALT, address.strip().lower(), algorithm="sha256").hexdigest()[:32]
