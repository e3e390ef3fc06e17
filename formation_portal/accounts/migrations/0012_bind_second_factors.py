"""Encrypts second factors whole, each bound to its account and type. Until now their secrets alone were encrypted, and
bound to nothing.

A factor that cannot be read stays as it is, and opens nothing.
"""

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from django.db import migrations
from django.db.migrations.state import StateApps

from formation_portal.core.encryption import UnreadableError, decrypt, encrypt

BEFORE = "second factor"
SECRETS = ("secret", "seed")


def rows(apps: StateApps, schema_editor: Any) -> Iterator[Any]:
    alias = schema_editor.connection.alias
    return apps.get_model("mfa", "Authenticator")._base_manager.using(alias).order_by("pk").iterator()


def context(row: Any) -> str:
    return f"mfa.Authenticator.data\x1f{row.user_id}\x1f{row.type}"


def bind(apps: StateApps, schema_editor: Any) -> None:
    for row in rows(apps, schema_editor):
        with suppress(UnreadableError):
            for name in row.data.keys() & SECRETS:
                row.data[name] = decrypt(row.data[name], BEFORE).decode()
            row.data = encrypt(json.dumps(row.data).encode(), context(row))
            row.save(update_fields=["data"])


def unbind(apps: StateApps, schema_editor: Any) -> None:
    for row in rows(apps, schema_editor):
        with suppress(UnreadableError):
            row.data = json.loads(decrypt(str(row.data), context(row)))
            for name in row.data.keys() & SECRETS:
                row.data[name] = encrypt(row.data[name].encode(), BEFORE)
            row.save(update_fields=["data"])


class Migration(migrations.Migration):
    dependencies = [("accounts", "0011_end_sessions"), ("mfa", "0003_authenticator_type_uniq")]

    operations = [migrations.RunPython(bind, unbind)]
