"""A save from a page that was older than what stands there: both texts, field by field, and the way out."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.http import QueryDict
from django.utils.translation import gettext

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Change
from formation_portal.applications.services import KeptTheirs, Stale
from formation_portal.contract.language import in_quotes
from formation_portal.portal.posted import KEEP, THEIRS

from .colleagues import name_of
from .counting import listed
from .drawn import DRAWN
from .moments import moment
from .read_back import in_words
from .sheet import Sheet

Reader = AbstractBaseUser | AnonymousUser


# What the page posts besides answers is worked out anew.
_NOT_CARRIED = ("csrfmiddlewaretoken", "version", DRAWN)
_AT_A_SLOT = ("slot", "removal")


@dataclass(frozen=True, slots=True)
class Clash:
    """One answer in both versions; `control` names the question in the form.

    `change` is who has saved theirs, where the history tells; `is_left` where only they have changed it, so that there
    is nothing to choose.
    """

    control: str
    label: str
    mine: str
    theirs: str
    change: Change | None = None
    is_left: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """A clash as the page asks about it; `said` tells who has saved theirs, and when."""

    control: str
    label: str
    mine: str
    theirs: str
    said: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """Everything the page needs: the choices, what only others have changed, and the whole post, to be sent again."""

    draft: Draft
    title: str
    company: str
    url: str
    version: int
    choices: tuple[Choice, ...]
    left: tuple[Clash, ...]
    carried: tuple[tuple[str, str], ...]


def conflict(
    draft: Draft,
    clashes: Sequence[Clash],
    post: QueryDict,
    *,
    title: str,
    url: str,
    version: int,
    reader: Reader,
) -> Conflict:
    """The page for a post that was not saved."""
    left = tuple(clash for clash in clashes if clash.is_left)
    choices = tuple(
        Choice(clash.control, clash.label, clash.mine, clash.theirs, _said(clash.change, reader))
        for clash in clashes
        if not clash.is_left
    )
    # What the page shows of these is old, so that it must not be sent as if it were meant.
    settled = tuple((f"{KEEP}{clash.control}", THEIRS) for clash in left)
    return Conflict(draft, title, draft.title, url, version, choices, left, (*carried(post), *settled))


def clashes(sheet: Sheet, stale: Stale) -> tuple[Clash, ...]:
    """The answers that differ, in the order of the questions."""
    return tuple(
        Clash(
            control=question.name,
            label=question.label,
            mine=in_words(question.spec, stale.posted[question.spec.name], sheet.share_classes),
            theirs=in_words(question.spec, stale.stored.get(question.spec.name), sheet.share_classes),
            change=stale.changes.get(question.spec.name),
            is_left=question.spec.name in stale.kept_theirs,
        )
        for question in sheet.questions
        if question.spec.name in (*stale.fields, *stale.kept_theirs)
    )


def _said(change: Change | None, reader: Reader) -> str:
    # Whoever has no account was asked for their own part, and is told nothing of who else works on the application.
    if change is None or change.who is None or reader.pk is None:
        return gettext("As it is now")
    words = {"name": name_of(change.who) or gettext("someone else"), "time": moment(change.at)}
    if change.who_id == reader.pk:
        return gettext("As you saved it in another window on %(time)s") % words
    return gettext("As %(name)s saved it on %(time)s") % words


def left_words(labels: Iterable[str]) -> str:
    """What was changed elsewhere, and stays so, in a sentence; empty where nothing was."""
    named = [in_quotes(label) for label in labels]
    if not named:
        return ""
    words = {"names": listed(named)}
    if len(named) == 1:
        return gettext("%(names)s was changed in another window. We kept the answer saved there.") % words
    return gettext("%(names)s were changed in another window. We kept the answers saved there.") % words


def labels_of(sheet: Sheet, left: KeptTheirs) -> tuple[str, ...]:
    """The labels of the questions whose answers were left, in their order."""
    return tuple(dict.fromkeys(question.label for question in sheet.questions if question.spec.name in left))


def carried(post: QueryDict, *, but: Collection[str] = _NOT_CARRIED) -> tuple[tuple[str, str], ...]:
    """The post as hidden inputs, so that nothing typed is lost on the way; choices of an earlier clash left out.

    A button that was pressed at a slot is not pressed again, but leads back to the page as it would have. The controls
    that `but` names are made anew by the page.
    """
    return tuple(
        ("update", "1") if name in _AT_A_SLOT else (name, str(value))
        for name, values in post.lists()
        if name not in but and not name.startswith(KEEP)
        for value in values
    )
