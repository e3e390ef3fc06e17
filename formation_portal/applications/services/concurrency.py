"""What others have saved since a page was drawn: so that nobody writes over what they haven't seen.

The history tells, answer by answer. A page's own earlier posts are known by the page's id, also where their answers
haven't come back yet, and never look like somebody else's.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from ..fields import changed_names
from ..models import Application, Change
from .exceptions import Stale

# The names of answers that others have saved since, and that stay as they did.
KeptTheirs = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class PageVersion:
    """What a page that posts was drawn from: the application's revision, and the page's own id."""

    revision: int
    page: str


@dataclass(frozen=True, slots=True)
class OtherChange:
    """An answer that was saved elsewhere: what the page was drawn with or has saved last, and the latest change."""

    base: Any
    change: Change


@dataclass(frozen=True, slots=True)
class Merge:
    """The posted names that differ from what stands: to be written, and left as others have saved them."""

    names: tuple[Any, ...]
    kept_theirs: KeptTheirs = ()


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
) -> Merge:
    """Sort what the post changes. Raises Stale where it would write over what its page has not shown.

    `holders` are those whose entries in the history are about these answers, and `line` is what an answer is called
    there. A page that doesn't say what it has seen is stale as soon as its version is old.
    """
    names = changed_names(stored, posted)
    if not names or version is None or version == current:
        return Merge(names)
    if page_version is None:
        raise _stale(stored, posted, names)
    others = changes_by_others(application, page_version, holders)
    touched = {name: others[history_key(name)] for name in names if history_key(name) in others}
    foreign = {name: one for name, one in touched.items() if changed_names({name: one.base}, {name: stored.get(name)})}
    left = tuple(name for name, one in foreign.items() if not changed_names({name: one.base}, {name: posted[name]}))
    if clashing := tuple(name for name in foreign if name not in left):
        changes = {name: one.change for name, one in foreign.items()}
        raise _stale(stored, posted, clashing, left=left, changes=changes)
    return Merge(tuple(name for name in names if name not in left), left)


def _stale(
    stored: Mapping[Any, Any],
    posted: Mapping[Any, Any],
    names: tuple[Any, ...],
    *,
    left: tuple[Any, ...] = (),
    changes: Mapping[Any, Change] | None = None,
) -> Stale:
    shown = {name: stored.get(name, "") for name in posted}
    return Stale(stored=shown, posted=dict(posted), fields=names, kept_theirs=left, changes=changes or {})


def changes_by_others(
    application: Application, page_version: PageVersion, holders: Collection[str]
) -> dict[str, OtherChange]:
    """What others have changed since, by the lines of the history. One query."""
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
