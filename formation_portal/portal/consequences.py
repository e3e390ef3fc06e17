"""What a save has set aside, in one sentence, with the way to take the choice back."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.urls import reverse

from formation_portal.applications.drafts import Draft
from formation_portal.applications.saving import choices_of
from formation_portal.contract.parking import Parked, set_aside
from formation_portal.contract.rules import Standing

from .counting import counted, listed


@dataclass(frozen=True, slots=True)
class Consequence:
    """A changed choice: the name of its answer, and what it has set aside; no text where that isn't worth a word."""

    name: str
    text: str
    undo_url: str


def consequence(draft: Draft, was: Standing) -> Consequence | None:
    """What the last save of the draft has set aside since it stood like this; None where it changed no choice."""
    for change in reversed(draft.written):
        for name in choices_of(draft, change):
            address = [draft.application.reference, change.pk]
            return Consequence(name, _sentence(draft, was), reverse("portal:choice_restoration", args=address))
    return None


def _sentence(draft: Draft, was: Standing) -> str:
    aside = set_aside(was, draft.standing)
    return f"This sets aside {listed(list(_counts(draft, aside)))}." if aside.is_much else ""


def _counts(draft: Draft, aside: Parked) -> Iterable[str]:
    kinds = [row.kind for row in draft.parties if row.token in aside.parties]
    words = (
        counted(len(aside.sections), "section", "sections"),
        counted(kinds.count("person"), "person", "people"),
        counted(kinds.count("corporate"), "company", "companies"),
        counted(kinds.count("foundation"), "foundation", "foundations"),
        counted(len(aside.share_classes), "share class", "share classes"),
        counted(len(aside.answers), "answer", "answers"),
    )
    return (word for word in words if word)


def restored(labels: Iterable[str]) -> str:
    """That the choice was taken back."""
    quoted = [f"“{label}”" for label in labels]
    return f"{listed(quoted)} {'is as it was' if len(quoted) == 1 else 'are as they were'} before."


def overtaken(labels: Iterable[str]) -> str:
    """That the choice was not taken back, and why."""
    quoted = [f"“{label}”" for label in labels]
    was, stays = ("was", "it stays as it is") if len(quoted) == 1 else ("were", "they stay as they are")
    return f"{listed(quoted)} {was} answered again since, so {stays} now."
