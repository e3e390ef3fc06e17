"""What a review keeps of an application, or of one party, when that is erased (applications/services/erasure.py)."""

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


def _with_files() -> Any:
    return ScreeningCheck.objects.exclude(file="")


def erase_review(application: Application) -> None:
    """All of it, with the files of screening checks."""
    delete_files_on_commit(_with_files().filter(application=application))
    for model in (*_WITH_NAMES, Accepted, Review):
        model._default_manager.filter(application=application).delete()


def erase_party_in_review(
    application: Application, token: str, names: Collection[str]
) -> tuple[list[models.Model], dict[str, list[str]]]:
    """What it says of a party, and the party's names wherever else they stand: the rows that were altered, and the
    keys of those that are gone."""
    altered: list[models.Model] = []
    gone: dict[str, list[str]] = {}
    delete_files_on_commit(_with_files().filter(application=application, holder=token))
    for model in _ABOUT_PARTIES:
        about = model._default_manager.filter(application=application, holder=token)
        gone |= keys_by_label(about)
        about.delete()
    for model in _WITH_NAMES:
        altered += [row for row in model._default_manager.filter(application=application) if _rename(row, names)]
    return altered, gone


def _rename(row: models.Model, names: Collection[str]) -> bool:
    """Save the row without the names; whether it had any."""
    stood = {field.name: getattr(row, field.name) for field in encrypted_fields(type(row))}
    changed = {name: new for name, old in stood.items() if (new := pseudonymised(old, names)) != old}
    for name, value in changed.items():
        setattr(row, name, value)
    if changed:
        row.save(update_fields=list(changed))
    return bool(changed)
