"""Words among colleagues about a place of an application."""

from django.contrib.auth.models import AbstractBaseUser
from django.utils import timezone

from formation_portal.applications.draft import Draft
from formation_portal.contract.lifecycle import State

from .models import LABEL_LIMIT, TEXT_LIMIT, Note
from .naming import label_of
from .places import Place
from .refusals import Refused
from .reviewing import reviewing

# A colleague may write one down about any case, also a closed one.
_ANY = frozenset(State) - {State.DRAFT}


def write_note(draft: Draft, place: Place, *, text: str, by: AbstractBaseUser) -> Note:
    """Keep a note. Raises Refused where it is empty or too long."""
    words = text.strip()
    if not words:
        raise Refused("Enter a note.", field="note")
    if len(words) > TEXT_LIMIT:
        raise Refused(f"Use {TEXT_LIMIT:,} characters or fewer.", field="note")
    with reviewing(draft, by=by, sight=None, states=_ANY, begins=False) as work:
        note = Note(application=draft.application, **place.columns)
        work.write(note, "note", text=words, label=(label_of(draft, place) or "")[:LABEL_LIMIT])
        return note


def remove_note(draft: Draft, note_id: int, *, by: AbstractBaseUser) -> bool:
    """Take one's own note back; False where there is none."""
    with reviewing(draft, by=by, sight=None, states=_ANY, begins=False) as work:
        note = Note.objects.filter(application=draft.application, pk=note_id, by=by.pk, removed_at=None).first()
        if note is None:
            return False
        work.write(note, "remove_note", removed_at=timezone.now())
        return True
