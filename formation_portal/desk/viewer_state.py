"""Where somebody looks in the viewer of documents: all of it stands in the page's address."""

from dataclasses import dataclass, field, replace

from django.http import QueryDict
from django.utils.http import urlencode

from formation_portal.core.integers import parse_integer

from .queue_state import QueueState
from .return_urls import queue_shown

ZOOMS = (100, 150, 200, 300)
ROTATIONS = (0, 90, 180, 270)


@dataclass(frozen=True, slots=True)
class ViewerState:
    """One page of one document, at a size in percent, turned by degrees; document 0 is the first one.

    `shown` is the queue that the case was opened from, which comes along.
    """

    document: int = 0
    page: int = 1
    zoom: int = ZOOMS[0]
    turn: int = ROTATIONS[0]
    shown: QueueState = field(default_factory=QueueState)

    @classmethod
    def read(cls, query: QueryDict) -> "ViewerState":
        """The look that an address asks for; what can't be read is as if it were not there."""
        zoom, turn = _number(query, "zoom"), _number(query, "turn")
        return cls(
            document=_number(query, "document"),
            page=max(1, _number(query, "page")),
            zoom=zoom if zoom in ZOOMS else ZOOMS[0],
            turn=turn if turn in ROTATIONS else ROTATIONS[0],
            shown=queue_shown(query),
        )

    @property
    def query(self) -> str:
        """What an address says of it; nothing of what is as it is anyway."""
        plain = ViewerState()
        said = {
            name: getattr(self, name)
            for name in ("document", "page", "zoom", "turn")
            if getattr(self, name) != getattr(plain, name)
        }
        if self.shown.address:
            said["from"] = self.shown.address
        return f"?{urlencode(said)}" if said else ""

    def for_document(self, document: int) -> "ViewerState":
        """A first look at another document."""
        return ViewerState(document, shown=self.shown)

    def for_page(self, page: int) -> "ViewerState":
        """The same at another page."""
        return replace(self, page=page)

    @property
    def larger(self) -> "ViewerState | None":
        """The same, larger; None where it is as large as it gets."""
        return self._zoomed(1)

    @property
    def smaller(self) -> "ViewerState | None":
        """The same, smaller; None where all of it is seen already."""
        return self._zoomed(-1)

    def _zoomed(self, step: int) -> "ViewerState | None":
        place = ZOOMS.index(self.zoom) + step
        return replace(self, zoom=ZOOMS[place]) if 0 <= place < len(ZOOMS) else None

    @property
    def rotated(self) -> "ViewerState":
        """The same, turned on by a quarter."""
        return replace(self, turn=(self.turn + 90) % 360)


def _number(query: QueryDict, name: str) -> int:
    return parse_integer(query.get(name, "")) or 0
