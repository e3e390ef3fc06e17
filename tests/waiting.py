"""Wait for a condition in a test instead of sleeping for a number of seconds."""

import time
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")
_SECONDS_BETWEEN_LOOKS = 0.02


def wait_until(condition: Callable[[], Result], seconds: float = 60, what: str = "the condition") -> Result:
    """Return what `condition` answers as soon as it is true; fail after `seconds`."""
    deadline = time.monotonic() + seconds
    while not (answer := condition()):
        assert time.monotonic() < deadline, f"{what} did not hold within {seconds} s"
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    return answer
