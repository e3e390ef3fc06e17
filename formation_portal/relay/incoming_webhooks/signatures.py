"""Whether the service has signed what arrived, within the last five minutes (supplement, "Events").

Two schemes; WEBHOOK_SCHEME says which. Whatever is wrong, the answer is the same: no.
"""

import hashlib
import hmac
from collections.abc import Callable, Mapping

from django.conf import settings
from django.utils import timezone
from standardwebhooks import Webhook
from standardwebhooks.webhooks import WebhookVerificationError

from formation_portal.core.integers import parse_integer

from . import subscription

STANDARD, PLAIN = "standard", "plain"
TOLERANCE_SECONDS = 300

Headers = Mapping[str, str]


def is_signed(body: bytes, headers: Headers) -> bool:
    """Whether one of the secrets that we know has signed exactly this, now."""
    check = _SCHEMES[settings.WEBHOOK_SCHEME]
    return any(check(secret, body, headers) for secret in subscription.signing_secrets())


def signed_id(headers: Headers) -> str:
    """The id among the headers, where the scheme signs it."""
    return headers.get("webhook-id", "") if settings.WEBHOOK_SCHEME == STANDARD else ""


def _is_standard(secret: str, body: bytes, headers: Headers) -> bool:
    given = {name: headers.get(name, "") for name in ("webhook-id", "webhook-timestamp", "webhook-signature")}
    try:
        Webhook(secret).verify(body, given, json_parse=False)
    except (WebhookVerificationError, ValueError):
        # The library splits and decodes what strangers send, and says ValueError of what can't be.
        return False
    return True


def _is_plain(secret: str, body: bytes, headers: Headers) -> bool:
    """Hex HMAC-SHA256 over `timestamp.payload`. The id isn't signed, so nothing depends on it."""
    sent_at = headers.get("X-Webhook-Timestamp", "")
    seconds = parse_integer(sent_at, digits=12)
    if seconds is None or abs(timezone.now().timestamp() - seconds) > TOLERANCE_SECONDS:
        return False
    wanted = hmac.new(secret.encode(), f"{sent_at}.".encode() + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(wanted.encode(), headers.get("X-Webhook-Signature", "").lower().encode())


_SCHEMES: Mapping[str, Callable[[str, bytes, Headers], bool]] = {STANDARD: _is_standard, PLAIN: _is_plain}
