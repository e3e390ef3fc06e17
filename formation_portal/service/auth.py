"""API keys (INTERFACE.md, "Transport and credentials")."""

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
DEMO_KEY = "sk_test_demo"
# The account of the portal's own key. The demo's key belongs to it too, so that it can read the portal's records.
PORTAL_ACCOUNT = "portal"
# The number of a key's last letters, of 32 random ones, that are stored in plain text.
_ENDING_LETTERS = 4
# The least interval between two records of a key's use.
_USE_INTERVAL = timedelta(minutes=1)
_CHALLENGE = 'Bearer realm="formation service"'


def digest_of(key: str) -> str:
    """Return a key's digest as it is stored. A key has 192 random bits, so a fast hash is as safe as a slow one."""
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()


def identify(request: HttpRequest) -> ApiKey:
    """Return the request's key and record its use. Raises 401."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        detail = "Send your API key as “Authorization: Bearer …”."
        raise ApiError("unauthorized", detail, headers={"WWW-Authenticate": _CHALLENGE})
    key = ApiKey.objects.select_related("account").filter(digest=digest_of(token.strip())).first()
    if key is None or (key.is_demo and not settings.DEMO):
        raise _invalid_token("This API key is not valid.")
    if key.revoked_at is not None:
        raise _invalid_token("This API key was revoked.")
    if key.has_expired:
        raise _invalid_token("This API key has expired.")
    _record_use(key)
    return key


def _record_use(key: ApiKey) -> None:
    """Record the time of the key's last use, at most once a minute."""
    now = timezone.now()
    if key.last_used_at is not None and key.last_used_at > now - _USE_INTERVAL:
        return
    is_due = Q(last_used_at=None) | Q(last_used_at__lte=now - _USE_INTERVAL)
    try:
        with transaction.atomic(using=key._state.db):
            ApiKey.objects.filter(is_due, pk=key.pk).update(last_used_at=now)
    except OperationalError as error:
        # Requests that only read are answered even if the database can't be written.
        logger.warning("the use of an API key was not noted: %s", error)


def _invalid_token(detail: str) -> ApiError:
    return ApiError("unauthorized", detail, headers={"WWW-Authenticate": f'{_CHALLENGE}, error="invalid_token"'})


def require(key: ApiKey, scopes: Collection[str]) -> None:
    """Raise 403 unless the key has at least one of the scopes."""
    if set(scopes).isdisjoint(key.scopes):
        challenge = f'{_CHALLENGE}, error="insufficient_scope", scope="{" ".join(scopes)}"'
        detail = f"This call needs the scope {' or '.join(scopes)}."
        raise ApiError("insufficient_scope", detail, headers={"WWW-Authenticate": challenge})


def key_of(request: HttpRequest) -> ApiKey:
    key = request.auth  # type: ignore[attr-defined]
    assert isinstance(key, ApiKey)
    return key


class BearerKey(HttpBearer):
    """The authorisation of a route, for the OpenAPI document. The pipeline has already checked the key."""

    def authenticate(self, request: HttpRequest, token: str) -> Any:
        return key_of(request)


def new_key(*, is_live: bool) -> str:
    return ("sk_live_" if is_live else "sk_test_") + secrets.token_urlsafe(24)


def create_key(
    *,
    scopes: Collection[str],
    name: str = "",
    account: str = "",
    is_live: bool = False,
    expires_at: datetime | None = None,
) -> tuple[ApiKey, str]:
    """Create a key, in a new account if none is named. Return the key's row and text. Raises ValueError."""
    if unknown := set(scopes) - set(SCOPES):
        raise ValueError(f"There is no scope {', '.join(sorted(unknown))}; there are {', '.join(SCOPES)}.")
    key = new_key(is_live=is_live)
    owner, _ = Account.objects.get_or_create(name=account or f"account-{secrets.token_hex(6)}")
    row = ApiKey.objects.create(
        account=owner,
        name=name,
        digest=digest_of(key),
        ending=key[-_ENDING_LETTERS:],
        scopes=sorted(set(scopes)),
        expires_at=expires_at,
    )
    return row, key


def revoke_key(number: int) -> bool:
    """Revoke a key. Return False if it was revoked before or is the portal's own key."""
    keys = ApiKey.objects.filter(pk=number, revoked_at=None, is_unlimited=False)
    return bool(keys.update(revoked_at=timezone.now()))


def ensure_demo_key() -> None:
    """Create the demo's key if DEMO is on."""
    if settings.DEMO:
        _ensure_key(DEMO_KEY, name="demo", is_demo=True)


def portal_key() -> str:
    """Return the portal's own key, made on the first call."""
    key = secret_store.read_or_create(StoredSecret.SERVICE_KEY, lambda: new_key(is_live=True))
    _ensure_key(key, name="portal", is_unlimited=True)
    return key


def replace_portal_key(*, valid_for: timedelta) -> ApiKey:
    """Replace the portal's own key. The previous one stays valid for `valid_for`, as running processes use it."""
    key = new_key(is_live=True)
    expires_at = timezone.now() + valid_for
    row = _ensure_key(key, name="portal", is_unlimited=True)
    previous = ApiKey.objects.filter(is_unlimited=True, revoked_at=None).exclude(pk=row.pk)
    previous.filter(Q(expires_at=None) | Q(expires_at__gt=expires_at)).update(expires_at=expires_at)
    secret_store.replace(StoredSecret.SERVICE_KEY, key)
    return row


def _ensure_key(key: str, *, name: str, is_demo: bool = False, is_unlimited: bool = False) -> ApiKey:
    account, _ = Account.objects.get_or_create(name=PORTAL_ACCOUNT)
    row, _ = ApiKey.objects.get_or_create(
        digest=digest_of(key),
        defaults={
            "account": account,
            "name": name,
            "ending": key[-_ENDING_LETTERS:],
            "scopes": list(SCOPES),
            "is_demo": is_demo,
            "is_unlimited": is_unlimited,
        },
    )
    return row
