"""Taking what the history says into the audit's chain, where nobody can alter it unseen."""

from collections.abc import Sequence

from django.db import models

from formation_portal.audit import chain
from formation_portal.audit.models import Deed

from ..models import Application, Change
from .authors import Author


def chained(
    application: Application, entries: Sequence[Change], *, by: Author | None, rows: Sequence[models.Model] = ()
) -> None:
    """One entry of the chain for what one transaction has changed. It names the history's entries by their numbers and
    attests what they say, and `rows` besides, by keyed digests alone: so a draft can be deleted with all that was
    typed."""
    holders = {entry.holder for entry in entries}
    moved_to = next((entry.moved_to for entry in entries if entry.moved_to), "")
    chain.append(
        Deed.CHANGE,
        by=by,
        application=application,
        subject=holders.pop() if len(holders) == 1 else "",
        changes=[entry.pk for entry in entries],
        revision=application.revision,
        rows=[*entries, *rows],
        **({"moved_to": moved_to} if moved_to else {}),
        **({"deleted": True} if application.deleted_at else {}),
    )
