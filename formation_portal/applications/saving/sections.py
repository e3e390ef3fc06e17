"""Saving one section about the entity."""

from collections.abc import Mapping
from typing import Any

from formation_portal.contract.schema import Section

from ..answers import without_blanks
from ..drafts import Draft
from ..models import SectionAnswers
from .authors import Author
from .elsewhere import Left, Seen, refuse_if_stale
from .writing import changes_of, taken, unlocked, writing


def save_section(
    draft: Draft,
    section: Section,
    raw: Mapping[str, Any],
    *,
    version: int,
    by: Author,
    seen: Seen | None = None,
) -> Left:
    """Keep what was posted of the section, exactly as typed, also what cannot be read or is not asked at present.

    Other stored answers stay, and so do those that others have changed since `version` and the page hasn't; their names
    are returned. Raises Stale with both texts where both have written, and Closed.
    """
    with writing(draft, by=by, seen=seen) as journal:
        stored = draft.raw(section)
        asked = taken(draft, section.fields, raw, by=by, where=section.key, stored=stored)
        posted = unlocked(draft, journal, section.fields, asked, stored=stored)
        found = refuse_if_stale(
            draft.application,
            version=version,
            stands=draft.version(section.key),
            stored=stored,
            posted=posted,
            holders=[one.key for one in draft.schema.entity_sections],
            seen=seen,
        )
        if not (names := found.names):
            return found.left
        for key in dict.fromkeys(draft.home(name) for name in names):
            row = draft.sections.get(key) or SectionAnswers(application=draft.application, section_key=key)
            here = {name: posted[name] for name in names if draft.home(name) == key}
            row.raw = without_blanks(row.raw | here)
            row.version += 1
            row.save()
            draft.sections[key] = row
        journal.note(
            "Changed “{section}”",
            holder=section.key,
            changes=changes_of(section.fields, names, stored, posted),
            section=section.title,
        )
        return found.left
