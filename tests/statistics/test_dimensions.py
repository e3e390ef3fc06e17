"""Durations in buckets: a median of them is at most a quarter off."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from formation_portal.statistics.dimensions import BUCKET_BOUNDS, bucket_of
from formation_portal.statistics.totals import quantile


@given(st.lists(st.integers(0, BUCKET_BOUNDS[-1] - 1), min_size=1), st.sampled_from([0.25, 0.5, 0.75]))
def test_a_quantile_is_at_most_a_quarter_off(durations: list[int], part: float) -> None:
    counts = Counter(map(bucket_of, durations))
    index = max(0, -int(-part * len(durations) // 1) - 1)
    exact = sorted(durations)[index]
    assert exact / 1.26 - BUCKET_BOUNDS[0] <= quantile(counts, part) <= max(exact * 1.26, BUCKET_BOUNDS[0])


def test_what_is_longer_than_all_bounds_is_counted_too() -> None:
    assert quantile({bucket_of(10**12): 1}, 0.5) == BUCKET_BOUNDS[-1]
