"""How long something lasted, in words and as hours."""

from .tables import Cell

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400


def lasting(seconds: float) -> Cell:
    """In the unit that fits: 20 min, 5 h, 2.4 days; a dash for none. CSV has hours."""
    return Cell(round(seconds / _HOUR, 2), _words(seconds))


def _words(seconds: float) -> str:
    if not seconds:
        return "–"
    if seconds < _HOUR:
        return f"{max(1, round(seconds / _MINUTE))}\u00a0min"
    if seconds < 2 * _DAY:
        return f"{round(seconds / _HOUR)}\u00a0h"
    return f"{seconds / _DAY:,.1f}\u00a0days"
