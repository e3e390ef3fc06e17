"""What is left to give, or is given beyond what there is: in words, at each class's total and above the page."""

from collections.abc import Iterator

from formation_portal.contract.language import figure, noted, say, say_count

from .allocation import Allocation

# Characters: what is said at every change has to be over before the next one.
_HEARD_AT_MOST = 100


def rest_id(class_token: str) -> str:
    """The id of the words at a class's total."""
    return f"rest-{class_token}"


def rest_words(given: int, there_are: int | None) -> str:
    """4,000 of 10,000 not yet given; empty where nothing says how many there are."""
    if there_are is None:
        return ""
    if given > there_are:
        said = noted("{count} more than the {all} available")
        return say(said, count=figure(given - there_are), all=figure(there_are))
    if given < there_are:
        return say("{count} of {all} not allocated", count=figure(there_are - given), all=figure(there_are))
    return say("All {all} allocated", all=figure(there_are))


def is_over(given: int, there_are: int | None) -> bool:
    """Whether more is given than there is."""
    return there_are is not None and given > there_are


def told(allocation: Allocation) -> str:
    """What is given so far and what is left, in sentences."""
    return " ".join((_given(allocation), *_remarks(allocation)))


def heard(allocation: Allocation) -> str:
    """The same, as far as it is short enough to be heard at every change."""
    said = _given(allocation)
    for remark in _remarks(allocation):
        longer = f"{said} {remark}"
        said = longer if len(longer) < _HEARD_AT_MOST else said
    return said


def _given(allocation: Allocation) -> str:
    if not allocation.total:
        return say("No shares allocated yet.")
    return say_count("{count} share allocated.", "{count} shares allocated.", allocation.total)


def _remarks(allocation: Allocation) -> Iterator[str]:
    """A sentence for each class that doesn't add up, and one for all together."""
    for row in allocation.classes:
        yield from _remark(f"{row.label} ", allocation.given(row), allocation.there_are(row))
    yield from _remark("", allocation.total, allocation.there_are_together)


def _remark(kind: str, given: int, there_are: int | None) -> Iterator[str]:
    if there_are is None or given == there_are:
        return
    if given < there_are:
        yield say_count(
            "{count} {kind}share not allocated.",
            "{count} {kind}shares not allocated.",
            there_are - given,
            kind=kind,
        )
        return
    yield say_count(
        "{count} {kind}share more than the {all} available.",
        "{count} {kind}shares more than the {all} available.",
        given - there_are,
        kind=kind,
        all=figure(there_are),
    )
