"""Words among colleagues about a target of an application."""

from django.contrib.auth.models import AbstractBaseUser
from django.utils import timezone

from formation_portal.applications.draft import Draft
from formation_portal.contract.lifecycle import State

from .exceptions import ReviewRefused
from .models import MAX_LABEL, MAX_TEXT, Note
from .targets import Target, label_of
from .transactions import review_transaction

# A colleague may write one down about any case, also a closed one.
_SUBMITTED = frozenset(State) - {State.DRAFT}


def write_note(draft: Draft, target: Target, *, text: str, by: AbstractBaseUser) -> Note:
    """Keep a note. Raises ReviewRefused where it is empty or too long."""
    words = text.strip()
    if not words:
        raise ReviewRefused("Enter a note.", field="note")
    if len(words) > MAX_TEXT:
        raise ReviewRefused(f"Use {MAX_TEXT:,} characters or fewer.", field="note")
    with review_transaction(draft, by=by, version=None, states=_SUBMITTED, begins=False) as work:
        note = Note(application=draft.application, **target.columns)
        work.save(note, "note", text=words, label=(label_of(draft, target) or "")[:MAX_LABEL])
        return note


def remove_note(draft: Draft, note_id: int, *, by: AbstractBaseUser) -> bool:
    """Take one's own note back; False where there is none."""
    with review_transaction(draft, by=by, version=None, states=_SUBMITTED, begins=False) as work:
        note = Note.objects.filter(application=draft.application, pk=note_id, by=by.pk, removed_at=None).first()
        if note is None:
            return False
        work.save(note, "remove_note", removed_at=timezone.now())
        return True
