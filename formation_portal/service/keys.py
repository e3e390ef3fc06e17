"""Making keys: for other clients, for the demonstration, and for the portal itself (supplement, "Transport")."""

import secrets
from collections.abc import Collection
from pathlib import Path

from django.conf import settings

from formation_portal import secret_files
from formation_portal.service.auth import SCOPES, digest_of
from formation_portal.service.models import Account, ApiKey

DEMO_KEY = "sk_test_demo"
# The demonstration's key opens the portal's own account, so that what was typed can be looked at.
PORTAL_ACCOUNT = "portal"
PORTAL_KEY_FILE = "portal-service-key"


def new_key(*, is_live: bool) -> str:
    """A key with 192 random bits behind the prefix that tells what it is for."""
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
    _ensure(DEMO_KEY, name="demo", is_demo=True)
    return DEMO_KEY


def portal_key() -> str:
    """The portal's own key to this service, made on the first call and kept in DATA_DIR. It is not rate-limited."""
    path = Path(settings.DATA_DIR) / PORTAL_KEY_FILE
    key = secret_files.kept(path, lambda: new_key(is_live=True))
    _ensure(key, name="portal", is_unlimited=True)
    return key


def _ensure(key: str, *, name: str, is_demo: bool = False, is_unlimited: bool = False) -> None:
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
