"""How many letters an account may have sent to other people, so that nobody fills their mailboxes through us.

Counted like attempts to sign in, for all processes together. How many there may be is in the settings.
"""

from allauth.core import ratelimit
from django.http import HttpRequest


def may_write_to(request: HttpRequest, address: str) -> bool:
    """Whether whoever is signed in may have one more letter sent to the address; asking counts."""
    return bool(ratelimit.consume(request, action="letter", key=address))
