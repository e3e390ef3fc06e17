"""Who asks, what their key may do, and how keys are made (interface, "Authentication"; supplement, "Transport")."""

import hashlib
import secrets
from collections.abc import Collection
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from ninja.security import HttpBearer

from formation_portal.core.nodes import secret_store
from formation_portal.core.nodes.secret_store import StoredSecret
from formation_portal.service.models import Account, ApiKey
from formation_portal.service.problems import ApiError

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
    """The key that the request carries; raises 401."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise _unauthorized("Send your API key as “Authorization: Bearer …”.", "")
    key = ApiKey.objects.select_related("account").filter(digest=digest_of(token.strip())).first()
    if key is None or (key.is_demo and not settings.DEMO):
        raise _unauthorized("This API key is not valid.", 'error="invalid_token"')
    return key


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


DEMO_KEY = "sk_test_demo"
# The demonstration's key opens the portal's own account, so that what was typed can be looked at.
PORTAL_ACCOUNT = "portal"


def new_key(*, is_live: bool) -> str:
    """A key with 192 random bits behind the prefix that says what it is for."""
    return ("sk_live_" if is_live else "sk_test_") + secrets.token_urlsafe(24)


def create_key(*, scopes: Collection[str], name: str = "", account: str = "", is_live: bool = False) -> str:
    """Makes a key and gives it back, this once. Without an account it opens a new one. Raises ValueError."""
    if unknown := set(scopes) - set(SCOPES):
        raise ValueError(f"There is no scope {', '.join(sorted(unknown))}; there are {', '.join(SCOPES)}.")
    key = new_key(is_live=is_live)
    owner, _ = Account.objects.get_or_create(name=account or f"account-{secrets.token_hex(6)}")
    ApiKey.objects.create(account=owner, name=name, digest=digest_of(key), scopes=sorted(set(scopes)))
    return key


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


def _ensure_key(key: str, *, name: str, is_demo: bool = False, is_unlimited: bool = False) -> None:
    account, _ = Account.objects.get_or_create(name=PORTAL_ACCOUNT)
    ApiKey.objects.get_or_create(
        digest=digest_of(key),
        defaults={
            "account": account,
            "name": name,
            "scopes": list(SCOPES),
            "is_demo": is_demo,
            "is_unlimited": is_unlimited,
        },
    )
