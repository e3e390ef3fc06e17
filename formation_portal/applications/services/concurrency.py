"""Optimistic concurrency: nobody overwrites answers that others have saved since the page was drawn.

The history tells, answer by answer. A page's own earlier posts carry the page's id, so they are never taken for
somebody else's, even while their responses are on the way.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from ..fields import changed_names, is_same_answer
from ..models import Application, Change
from .exceptions import Stale

# The names of answers that others have saved since and that keep their values.
KeptTheirs = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class PageVersion:
    """The version of a page that posts: the application's revision when it was drawn, and the page's id."""

    revision: int
    page: str


@dataclass(frozen=True, slots=True)
class OtherChange:
    """An answer that others have changed: the value that the page last knew, and the latest change."""

    base: Any
    change: Change


def compare_versions(
    application: Application,
    *,
    version: int | None,
    current: int,
    stored: Mapping[Any, Any],
    posted: Mapping[Any, Any],
    holders: Collection[str] = (),
    page_version: PageVersion | None = None,
    history_key: Callable[[Any], str] = str,
) -> tuple[tuple[Any, ...], KeptTheirs]:
    """Merge a post with what others have saved: the names of the answers to be written, and of those that keep what
    others have saved. Raises Stale where both have changed the same answer.

    `version` is the one that the page was drawn with, `current` the stored one. `holders` are the holders of the
    history entries about these answers, and `history_key` gives an answer's name there. Without a `page_version` any
    post of an old version is stale.
    """
    names = changed_names(stored, posted)
    if not names or version is None or version == current:
        return names, ()
    if page_version is None:
        raise _stale(stored, posted, names)
    others = changes_by_others(application, page_version, holders)
    touched = {name: others[history_key(name)] for name in names if history_key(name) in others}
    theirs = {name: one for name, one in touched.items() if not is_same_answer(one.base, stored.get(name))}
    kept_theirs = tuple(name for name, one in theirs.items() if is_same_answer(one.base, posted[name]))
    if clashing := tuple(name for name in theirs if name not in kept_theirs):
        changes = {name: one.change for name, one in theirs.items()}
        raise _stale(stored, posted, clashing, kept_theirs=kept_theirs, changes=changes)
    return tuple(name for name in names if name not in kept_theirs), kept_theirs


def _stale(
    stored: Mapping[Any, Any],
    posted: Mapping[Any, Any],
    names: tuple[Any, ...],
    *,
    kept_theirs: tuple[Any, ...] = (),
    changes: Mapping[Any, Change] | None = None,
) -> Stale:
    shown = {name: stored.get(name, "") for name in posted}
    return Stale(stored=shown, posted=dict(posted), fields=names, kept_theirs=kept_theirs, changes=changes or {})


def changes_by_others(
    application: Application, page_version: PageVersion, holders: Collection[str]
) -> dict[str, OtherChange]:
    """The answers that others have changed since the page was drawn, by their names in the history. One query."""
    found: dict[str, OtherChange] = {}
    bases: dict[str, Any] = {}
    since = application.changes.filter(revision__gt=page_version.revision, holder__in=holders)
    for change in since.select_related("who").order_by("pk"):
        for one in change.changes:
            name = one["field"]
            if change.page == page_version.page:
                bases[name] = one["after"]
                found.pop(name, None)
            else:
                found[name] = OtherChange(bases.setdefault(name, one["before"]), change)
    return found
