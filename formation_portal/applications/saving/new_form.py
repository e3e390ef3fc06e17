"""Taking the present version of the form over into an open draft, on its customer's consent."""

from typing import Any

from django.contrib.auth.models import AbstractBaseUser

from formation_portal.contract.catalog import CatalogItem

from .. import snapshots
from ..drafts import Draft
from ..models import SectionAnswers
from .writing import writing


def take_form(draft: Draft, *, product: CatalogItem, by: AbstractBaseUser) -> None:
    """Go on with the product's form and price as they are now. Raises Closed.

    Nothing typed is dropped: what the form no longer asks stays where it is stored, and counts again if it is asked
    again. Every section gets a new version, so that a page drawn from the old form overwrites nothing.
    """
    snapshot = snapshots.keep(product.document)
    with writing(draft, by=by) as journal:
        application = draft.application
        if application.snapshot_id == snapshot.digest:
            return
        application.snapshot = snapshot
        application.product = product.model_dump(mode="json", exclude={"form", "document"})
        typed = dict(draft.entity_raw)
        old_homes = {name: key for key, row in draft.sections.items() for name in row.raw}
        draft.schema = snapshots.schema_of(snapshot.digest)
        draft.forget()
        _move(draft, typed, old_homes)
        for holder in (*draft.party_models, *draft.share_class_models):
            holder.version += 1
            holder.save(update_fields=["version", "updated_at"])
        if version := draft.schema.version:
            journal.note("Moved to the new form, version {version}", version=version)
        else:
            journal.note("Moved to the new form")


def _move(draft: Draft, typed: dict[str, Any], old_homes: dict[str, str]) -> None:
    """Each answer to the section that keeps it now; one that isn't asked stays in the row that has it."""
    kept: dict[str, dict[str, Any]] = {key: {} for key in draft.sections}
    for name, value in typed.items():
        kept.setdefault(draft.home(name, kept_in=old_homes[name]), {})[name] = value
    # A section's version is a sum over the rows that keep its answers, so each must be beyond any sum there was.
    ahead = sum(row.version for row in draft.sections.values()) + 1
    for key, raw in kept.items():
        row = draft.sections.get(key) or SectionAnswers(application=draft.application, section_key=key)
        row.raw = raw
        row.version = ahead
        row.save()
        draft.sections[key] = row
