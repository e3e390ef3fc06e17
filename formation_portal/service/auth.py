"""Who asks, what their key may do, and how keys are made (interface, "Authentication"; supplement, "Transport")."""

import hashlib
import logging
import secrets
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import OperationalError, transaction
from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone
from ninja.security import HttpBearer

from formation_portal.core.nodes import secret_store
from formation_portal.core.nodes.secret_store import StoredSecret
from formation_portal.service.models import Account, ApiKey
from formation_portal.service.problems import ApiError

logger = logging.getLogger(__name__)

SCOPES = (
    "parties:read",
    "parties:write",
    "entities:read",
    "entities:write",
    "entities:review",
    "documents:read",
    "documents:write",
    "webhooks:read",
    "webhooks:write",
)


def digest_of(key: str) -> str:
    """What is kept of a key. It has 192 random bits, so a fast hash is as good as a slow one."""
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()


def identify(request: HttpRequest) -> ApiKey:
    """The key that the request carries, whose use is noted; raises 401."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise _unauthorized("Send your API key as “Authorization: Bearer …”.", "")
    key = ApiKey.objects.select_related("account").filter(digest=digest_of(token.strip())).first()
    if key is None or (key.is_demo and not settings.DEMO):
        raise _unauthorized("This API key is not valid.", 'error="invalid_token"')
    if key.revoked_at is not None:
        raise _unauthorized("This API key was revoked.", 'error="invalid_token"')
    if key.has_expired:
        raise _unauthorized("This API key has expired.", 'error="invalid_token"')
    _note_use(key)
    return key


# Its last use is written this often at most: it says whether a key is used still, and no call should wait for it.
_NOTED_EVERY = timedelta(minutes=1)


def _note_use(key: ApiKey) -> None:
    """Note that the key was used just now. No query where that was noted already; of several processes one writes."""
    now = timezone.now()
    if key.last_used_at is not None and key.last_used_at > now - _NOTED_EVERY:
        return
    not_noted = Q(last_used_at=None) | Q(last_used_at__lte=now - _NOTED_EVERY)
    try:
        with transaction.atomic(using=key._state.db):
            ApiKey.objects.filter(not_noted, pk=key.pk).update(last_used_at=now)
    except OperationalError as error:
        # What only reads is answered where nothing can be written.
        logger.warning("the use of an API key was not noted: %s", error)


def _unauthorized(detail: str, reason: str) -> ApiError:
    challenge = 'Bearer realm="formation service"' + (f", {reason}" if reason else "")
    return ApiError("unauthorized", detail, headers={"WWW-Authenticate": challenge})


def require(key: ApiKey, scopes: Collection[str]) -> None:
    """Raises 403 unless the key has one of the scopes."""
    if not set(scopes) & set(key.scopes):
        wanted = " or ".join(scopes)
        challenge = f'Bearer realm="formation service", error="insufficient_scope", scope="{" ".join(scopes)}"'
        raise ApiError(
            "insufficient_scope", f"This call needs the scope {wanted}.", headers={"WWW-Authenticate": challenge}
        )


def key_of(request: HttpRequest) -> ApiKey:
    """The key that the pipeline has accepted."""
    key = request.auth  # type: ignore[attr-defined]
    assert isinstance(key, ApiKey)
    return key


class BearerKey(HttpBearer):
    """Shows in the OpenAPI document how a route is authorised. The pipeline has checked the key when this runs."""

    def authenticate(self, request: HttpRequest, token: str) -> Any:
        """The key that the pipeline has accepted."""
        return key_of(request)


# So many letters of a key are kept, of 32 that nobody can guess.
_ENDING = 4
DEMO_KEY = "sk_test_demo"
# The demonstration's key opens the portal's own account, so that what was typed can be looked at.
PORTAL_ACCOUNT = "portal"


def new_key(*, is_live: bool) -> str:
    """A key with 192 random bits behind the prefix that says what it is for."""
    return ("sk_live_" if is_live else "sk_test_") + secrets.token_urlsafe(24)


def create_key(
    *,
    scopes: Collection[str],
    name: str = "",
    account: str = "",
    is_live: bool = False,
    expires_at: datetime | None = None,
) -> tuple[ApiKey, str]:
    """Makes a key and gives it back with its row, this once. Without an account it opens a new one. Raises
    ValueError."""
    if unknown := set(scopes) - set(SCOPES):
        raise ValueError(f"There is no scope {', '.join(sorted(unknown))}; there are {', '.join(SCOPES)}.")
    key = new_key(is_live=is_live)
    owner, _ = Account.objects.get_or_create(name=account or f"account-{secrets.token_hex(6)}")
    row = ApiKey.objects.create(
        account=owner,
        name=name,
        digest=digest_of(key),
        ending=key[-_ENDING:],
        scopes=sorted(set(scopes)),
        expires_at=expires_at,
    )
    return row, key


def revoke_key(number: int) -> bool:
    """Let the key open nothing any more; what it has made stays. False where it was revoked before, or is the portal's
    own, which is replaced instead."""
    there = ApiKey.objects.filter(pk=number, revoked_at=None, is_unlimited=False)
    return bool(there.update(revoked_at=timezone.now()))


def ensure_demo_key() -> str | None:
    """The demo key while the demo setting is on; without it there is none."""
    if not settings.DEMO:
        return None
    _ensure_key(DEMO_KEY, name="demo", is_demo=True)
    return DEMO_KEY


def portal_key() -> str:
    """The portal's own key to this service, made on the first call. It is not rate-limited."""
    key = secret_store.read_or_create(StoredSecret.SERVICE_KEY, lambda: new_key(is_live=True))
    _ensure_key(key, name="portal", is_unlimited=True)
    return key


def replace_portal_key(*, valid_for: timedelta) -> ApiKey:
    """Give the portal another key of its own; the one before still opens the service for so long, since processes that
    run may know no other."""
    key, ends = new_key(is_live=True), timezone.now() + valid_for
    row = _ensure_key(key, name="portal", is_unlimited=True)
    before = ApiKey.objects.filter(is_unlimited=True, revoked_at=None).exclude(pk=row.pk)
    before.filter(Q(expires_at=None) | Q(expires_at__gt=ends)).update(expires_at=ends)
    secret_store.replace(StoredSecret.SERVICE_KEY, key)
    return row


def _ensure_key(key: str, *, name: str, is_demo: bool = False, is_unlimited: bool = False) -> ApiKey:
    account, _ = Account.objects.get_or_create(name=PORTAL_ACCOUNT)
    row, _ = ApiKey.objects.get_or_create(
        digest=digest_of(key),
        defaults={
            "account": account,
            "name": name,
            "ending": key[-_ENDING:],
            "scopes": list(SCOPES),
            "is_demo": is_demo,
            "is_unlimited": is_unlimited,
        },
    )
    return row
