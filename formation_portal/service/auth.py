"""Who asks, and what their key may do (interface, "Authentication"; supplement, "Transport and credentials")."""

import hashlib
from collections.abc import Collection
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from ninja.security import HttpBearer

from formation_portal.service.models import ApiKey
from formation_portal.service.problems import Refusal

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


def _unauthorized(detail: str, reason: str) -> Refusal:
    challenge = 'Bearer realm="formation service"' + (f", {reason}" if reason else "")
    return Refusal("unauthorized", detail, headers={"WWW-Authenticate": challenge})


def require(key: ApiKey, scopes: Collection[str]) -> None:
    """Raises 403 unless the key has one of the scopes."""
    if not set(scopes) & set(key.scopes):
        wanted = " or ".join(scopes)
        challenge = f'Bearer realm="formation service", error="insufficient_scope", scope="{" ".join(scopes)}"'
        raise Refusal(
            "insufficient_scope", f"This call needs the scope {wanted}.", headers={"WWW-Authenticate": challenge}
        )


def key_of(request: HttpRequest) -> ApiKey:
    """The key that the door has let in."""
    key = request.auth  # type: ignore[attr-defined]
    assert isinstance(key, ApiKey)
    return key


class BearerKey(HttpBearer):
    """Tells the OpenAPI document how a route is opened. The door has already looked at the key when this runs."""

    def authenticate(self, request: HttpRequest, token: str) -> Any:
        """The key that the door has let in."""
        return key_of(request)
