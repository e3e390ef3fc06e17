"""What others have saved since a page was drawn: so that nobody writes over what they haven't seen.

The history tells, answer by answer. A page's own earlier posts are known by the page's id, also where their answers
haven't come back yet, and never look like somebody else's.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from ..answers import differing
from ..models import Application, Change
from .refusals import Stale

# The names of answers that others have saved since, and that stay as they did.
Left = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Seen:
    """What a page that posts was drawn from: the application's revision, and the page's own id."""

    revision: int
    page: str


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """An answer that was saved elsewhere: what the page was drawn with or has saved last, and the latest change."""

    base: Any
    change: Change


@dataclass(frozen=True, slots=True)
class Sorted:
    """The posted names that differ from what stands: to be written, and left as others have saved them."""

    names: tuple[Any, ...]
    left: Left = ()


def refuse_if_stale(
    application: Application,
    *,
    version: int | None,
    stands: int,
    stored: Mapping[Any, Any],
    posted: Mapping[Any, Any],
    holders: Collection[str] = (),
    seen: Seen | None = None,
    line: Callable[[Any], str] = str,
) -> Sorted:
    """Sort what the post changes. Raises Stale where it would write over what its page has not shown.

    `holders` are those whose entries in the history are about these answers, and `line` is what an answer is called
    there. A page that doesn't say what it has seen is stale as soon as its version is old.
    """
    names = differing(stored, posted)
    if not names or version is None or version == stands:
        return Sorted(names)
    if seen is None:
        raise _stale(stored, posted, names)
    others = saved_elsewhere(application, seen, holders)
    touched = {name: others[line(name)] for name in names if line(name) in others}
    foreign = {name: one for name, one in touched.items() if differing({name: one.base}, {name: stored.get(name)})}
    left = tuple(name for name, one in foreign.items() if not differing({name: one.base}, {name: posted[name]}))
    if clashing := tuple(name for name in foreign if name not in left):
        changes = {name: one.change for name, one in foreign.items()}
        raise _stale(stored, posted, clashing, left=left, changes=changes)
    return Sorted(tuple(name for name in names if name not in left), left)


def _stale(
    stored: Mapping[Any, Any],
    posted: Mapping[Any, Any],
    names: tuple[Any, ...],
    *,
    left: tuple[Any, ...] = (),
    changes: Mapping[Any, Change] | None = None,
) -> Stale:
    shown = {name: stored.get(name, "") for name in posted}
    return Stale(stored=shown, posted=dict(posted), fields=names, left=left, changes=changes or {})


def saved_elsewhere(application: Application, seen: Seen, holders: Collection[str]) -> dict[str, Elsewhere]:
    """What others have changed since, by the lines of the history. One query."""
    found: dict[str, Elsewhere] = {}
    bases: dict[str, Any] = {}
    since = application.changes.filter(revision__gt=seen.revision, holder__in=holders)
    for change in since.select_related("who").order_by("pk"):
        for one in change.changes:
            name = one["field"]
            if change.page == seen.page:
                bases[name] = one["after"]
                found.pop(name, None)
            else:
                found[name] = Elsewhere(bases.setdefault(name, one["before"]), change)
    return found
