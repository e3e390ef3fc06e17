"""What is left to give, or is given beyond what there is: in words, at each class's total and above the page."""

from collections.abc import Iterator

from .allocation import Allocation


def rest_id(class_token: str) -> str:
    """The id of the words at a class's total."""
    return f"rest-{class_token}"


def rest_words(given: int, there_are: int | None) -> str:
    """4,000 of 10,000 not yet given; empty where nothing says how many there are."""
    if there_are is None:
        return ""
    if given > there_are:
        return f"{given - there_are:,} more than the {there_are:,} that can be given"
    return f"{there_are - given:,} of {there_are:,} not yet given" if given < there_are else f"All {there_are:,} given"


def is_over(given: int, there_are: int | None) -> bool:
    """Whether more is given than there is."""
    return there_are is not None and given > there_are


def remarks(allocation: Allocation) -> Iterator[str]:
    """A sentence for each class that doesn't add up, and one for all together."""
    for row in allocation.classes:
        yield from _remark(f"{row.label} ", allocation.given(row), allocation.there_are(row))
    yield from _remark("", allocation.total, allocation.there_are_together)


def _remark(kind: str, given: int, there_are: int | None) -> Iterator[str]:
    if there_are is None or given == there_are:
        return
    count = abs(there_are - given)
    shares = f"{count:,} {kind}share{' is' if count == 1 else 's are'}"
    yield f"{shares} not yet given to anyone." if given < there_are else f"{shares} given beyond the {there_are:,}."
