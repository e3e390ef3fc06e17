"""The hourly round: what is due by time alone. Other rooms take part, and post what has to be said."""

import logging
from collections.abc import Callable

from .clearing import clear_old

logger = logging.getLogger(__name__)

Duty = Callable[[], None]
_duties: list[Duty] = []


def on_each_round(duty: Duty) -> Duty:
    """Do this on each round. Several processes may go it, so a duty sees to it that nothing is said twice."""
    _duties.append(duty)
    return duty


def go_round() -> None:
    """Remove old letters' content, and do what the others have left. Trouble with one duty stops no other."""
    clear_old()
    for duty in _duties:
        try:
            duty()
        except Exception as error:
            # Not the error's own words, which may hold what a letter says.
            logger.error("The round met something unexpected in %s: %s", duty.__module__, type(error).__name__)
