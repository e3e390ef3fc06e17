"""Erase a review together with its application, or one party in it (applications/services/erasure.py)."""

from collections.abc import Collection
from typing import Any

from django.db import models

from formation_portal.applications.models import Application
from formation_portal.applications.services.documents import delete_files_on_commit
from formation_portal.applications.services.erasure import pseudonymised
from formation_portal.audit.attestation import keys_by_label
from formation_portal.core.encrypted_fields import encrypted_fields

from .models import Accepted, Check, Evidence, Note, Query, Review, ReviewDecision, ScreeningCheck, ServiceStatus

_ABOUT_PARTIES: tuple[Any, ...] = (Check, Query, Note, Evidence, ScreeningCheck)
_WITH_NAMES: tuple[Any, ...] = (*_ABOUT_PARTIES, ReviewDecision, ServiceStatus)


def erase_review(application: Application) -> None:
    checks: Any = ScreeningCheck.objects.filter(application=application).exclude(file="")
    delete_files_on_commit(checks)
    for model in (*_WITH_NAMES, Accepted, Review):
        model._default_manager.filter(application=application).delete()


def erase_party_in_review(
    application: Application, token: str, names: Collection[str]
) -> tuple[list[models.Model], dict[str, list[str]]]:
    """Delete the rows about a party, and replace its names in all other rows. Returns the altered rows, and the
    keys of the deleted rows by their models' labels."""
    altered: list[models.Model] = []
    gone: dict[str, list[str]] = {}
    checks: Any = ScreeningCheck.objects.filter(application=application, holder=token).exclude(file="")
    delete_files_on_commit(checks)
    for model in _ABOUT_PARTIES:
        about = model._default_manager.filter(application=application, holder=token)
        gone |= keys_by_label(about)
        about.delete()
    for model in _WITH_NAMES:
        for row in model._default_manager.filter(application=application):
            if _rename(row, names):
                altered.append(row)
    return altered, gone


def _rename(row: models.Model, names: Collection[str]) -> bool:
    """Replace the names in a row and save the row. Returns False where no name occurs."""
    changed = []
    for field in encrypted_fields(type(row)):
        text = getattr(row, field.name)
        renamed = pseudonymised(text, names)
        if renamed != text:
            setattr(row, field.name, renamed)
            changed.append(field.name)
    if changed:
        row.save(update_fields=changed)
    return bool(changed)
