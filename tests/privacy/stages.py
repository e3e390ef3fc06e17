"""Brings applications to the states that retention asks about, and to an age."""

import subprocess
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.db import connections, router
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.audit.verification import verify
from formation_portal.relay.worker import drain
from tests import factories


def started(owner: Any) -> Draft:
    """A complete draft with a file."""
    return factories.complete_draft(owner)


def moved(draft: Draft, owner: Any, agent: Any, *transitions: str) -> Application:
    """The application after these, by their names in the lifecycle, with all of it delivered."""
    for one in transitions:
        draft = open_draft(again(draft.application))
        if one == "submit":
            services.submit(draft, by=owner, declaration="I declare it.")
        elif one == "withdraw":
            services.withdraw(draft, by=owner)
        else:
            services.advance(draft, one, by=agent)
    drain()
    return again(draft.application)


def again(application: Application) -> Application:
    """As it stands now."""
    return Application.objects.get(pk=application.pk)


def aged(application: Application, **age: float) -> Application:
    """As if nothing had been done with it for so long."""
    then = timezone.now() - timedelta(**age)
    application.changes.update(at=then)
    Application.objects.filter(pk=application.pk).update(updated_at=then, created_at=then)
    return again(application)


def plain_text(*ignored: str) -> str:
    """All that the databases hold, as they hold it, in lower case; without these models."""
    found = []
    for model in apps.get_models():
        if model._meta.label in ignored:
            continue
        with connections[router.db_for_read(model)].cursor() as cursor:
            cursor.execute(f'SELECT * FROM "{model._meta.db_table}"')
            found += [f"{model._meta.label}: {row}" for row in cursor.fetchall()]
    return "\n".join(found).lower()


def opened_text() -> str:
    """The same with all that is encrypted opened, as whoever has the keys reads it."""
    rows = (row for model in apps.get_models() for row in model._base_manager.all())
    values = ((row, [getattr(row, field.attname) for field in row._meta.concrete_fields]) for row in rows)
    return "\n".join(f"{row._meta.label}: {columns}" for row, columns in values).lower()


def replaced(draft: Draft, owner: Any, name: str = "other.pdf") -> None:
    """Another passport of Ada's, in the place of the first."""
    file = factories.upload(factories.PDF + b"\n%other\n", name)
    services.add_document(draft, draft.party("ada"), "Passport", file, by=owner)


def findings() -> list[str]:
    """What is wrong with the audit log, but for anchors: none are written within a test's transaction."""
    return [one.what for one in verify(now=time.time_ns() // 1000).findings if "anchor" not in one.what]


def files() -> list[Path]:
    """Every file that the portal and the service keep."""
    folders = (settings.MEDIA_ROOT, settings.SERVICE_DOCUMENTS)
    return [path for folder in folders for path in Path(folder).rglob("*") if path.is_file()]


def database_files() -> list[bytes]:
    """The files of SQLite, with what stands in their logs.

    Another process reads them: where this one closed such a file, its connections would have no locks any more, and
    whoever else closes the database would take the log away from under them.
    """
    names = []
    for connection in connections.all():
        if connection.vendor != "sqlite":
            pytest.skip("not run: PostgreSQL overwrites in its own time (core/overwriting.py)")
        name = str(connection.settings_dict["NAME"])
        names += [name + suffix for suffix in ("", "-wal") if Path(name + suffix).exists()]
    return [subprocess.run(["cat", name], capture_output=True, check=True).stdout for name in names]
