"""A save from a page that was older than what stands there: both texts, field by field, and the way out."""

from dataclasses import dataclass

from django.http import QueryDict

from formation_portal.applications.saving import Stale

from .sheet import Sheet
from .words import in_words

KEEP = "keep:"
THEIRS = "theirs"

# What the page posts besides answers is worked out anew.
_NOT_CARRIED = ("csrfmiddlewaretoken", "version")
_AT_A_SLOT = ("slot", "removal")


@dataclass(frozen=True, slots=True)
class Clash:
    """One answer in both versions; `control` names the question in the form."""

    control: str
    label: str
    mine: str
    theirs: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """Everything the page needs: the clashes, and the whole post, to be sent once more."""

    title: str
    company: str
    url: str
    version: int
    clashes: tuple[Clash, ...]
    carried: tuple[tuple[str, str], ...]


def clashes(sheet: Sheet, stale: Stale) -> tuple[Clash, ...]:
    """The answers that differ, in the order of the questions."""
    return tuple(
        Clash(
            control=question.name,
            label=question.label,
            mine=in_words(question.spec, stale.posted[question.spec.name], sheet.share_classes),
            theirs=in_words(question.spec, stale.stored.get(question.spec.name), sheet.share_classes),
        )
        for question in sheet.questions
        if question.spec.name in stale.fields
    )


def carried(post: QueryDict) -> tuple[tuple[str, str], ...]:
    """The post as hidden inputs, so that nothing typed is lost on the way; choices of an earlier clash left out.

    A button that was pressed at a slot is not pressed again, but leads back to the page as it would have.
    """
    return tuple(
        ("update", "1") if name in _AT_A_SLOT else (name, str(value))
        for name, values in post.lists()
        if name not in _NOT_CARRIED and not name.startswith(KEEP)
        for value in values
    )


def keeps_theirs(post: QueryDict, control: str) -> bool:
    """Whether the person chose to keep what was stored meanwhile."""
    return post.get(f"{KEEP}{control}") == THEIRS
