"""Durations counted by their length, so that medians come from some sixty numbers instead of from every case.

The bounds grow by a quarter each, so that a median is at most a quarter off, whether it is of minutes or of months.
"""

from bisect import bisect_right
from collections.abc import Mapping

_QUARTER_HOUR, _GROWTH, _COUNT = 15 * 60, 1.25, 58
# From a quarter of an hour to some ten years.
BOUNDS = tuple(round(_QUARTER_HOUR * _GROWTH**step) for step in range(_COUNT))


def bucket_of(seconds: int) -> int:
    """Where a duration is counted."""
    return bisect_right(BOUNDS, seconds)


def quantile(counts: Mapping[int, int], part: float) -> float:
    """The seconds that `part` of the durations don't exceed, as if they were spread evenly in each bucket.

    There is at least one duration.
    """
    left = part * sum(counts.values())
    for bucket, count in sorted(counts.items()):
        if left <= count and count:
            low, high = _edges(bucket)
            return low + (high - low) * left / count
        left -= count
    raise ValueError("No duration was counted")


def _edges(bucket: int) -> tuple[int, int]:
    """Where a bucket begins and ends; the last one has no end."""
    low = BOUNDS[bucket - 1] if bucket else 0
    return low, BOUNDS[bucket] if bucket < len(BOUNDS) else low
