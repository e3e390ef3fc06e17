"""Make, revoke and replace keys of the embedded service (service/auth.py), each with an entry in the audit log that
has the key's number and scopes."""

from datetime import timedelta
from typing import Any

from django.db import transaction

from formation_portal.accounts.models import User
from formation_portal.audit import chain
from formation_portal.audit.models import AuditAction
from formation_portal.service.auth import create_key, replace_portal_key, revoke_key
from formation_portal.service.models import ApiKey


# The service's database commits first: a key without an entry is never shown.
@transaction.atomic
@transaction.atomic(using="service")
def make_key(*, by: User | None, **fields: Any) -> tuple[ApiKey, str]:
    """Make a key, as `create_key` does. Returns its row and the key itself. `by` is None on the command line."""
    row, key = create_key(**fields)
    _append("make", row.pk, by=by, scopes=row.scopes)
    return row, key


@transaction.atomic
@transaction.atomic(using="service")
def revoke(number: int, *, by: User | None) -> bool:
    """Revoke a key. Returns False if the key can't be revoked."""
    is_done = revoke_key(number)
    if is_done:
        _append("revoke", number, by=by)
    return is_done


@transaction.atomic
@transaction.atomic(using="service")
def replace_portals(*, valid_for: timedelta) -> ApiKey:
    """Give the portal a new key, and let the old key expire after `valid_for`."""
    row = replace_portal_key(valid_for=valid_for)
    _append("replace", row.pk, by=None)
    return row


def _append(action: str, number: int, *, by: User | None, **detail: Any) -> None:
    chain.append(
        AuditAction.RIGHTS, by=by, application=None, subject=f"API key {number}", key=number, did=action, **detail
    )
