"""Saving one section about the entity."""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import AbstractBaseUser

from formation_portal.contract.schema import Section

from ..answers import without_blanks
from ..drafts import Draft
from ..models import SectionAnswers
from .writing import changes_of, refuse_if_stale, taken, writing


def save_section(draft: Draft, section: Section, raw: Mapping[str, Any], *, version: int, by: AbstractBaseUser) -> None:
    """Keep what was posted of the section, exactly as typed, also what cannot be read or is not asked at present.

    Other stored answers stay. Raises Stale with both texts where the section was saved since `version`, unless
    the post changes nothing; raises Closed.
    """
    with writing(draft, by=by) as journal:
        posted = taken(section.fields, raw, where=section.key)
        stored = draft.raw(section)
        names = refuse_if_stale(version=version, stands=draft.version(section.key), stored=stored, posted=posted)
        if not names:
            return
        for key in dict.fromkeys(draft.home(name) for name in names):
            row = draft.sections.get(key) or SectionAnswers(application=draft.application, section_key=key)
            here = {name: posted[name] for name in names if draft.home(name) == key}
            row.raw = without_blanks(row.raw | here)
            row.version += 1
            row.save()
            draft.sections[key] = row
        journal.note(
            f"Changed “{section.title}”",
            holder=section.key,
            changes=changes_of(section.fields, names, stored, posted),
        )
