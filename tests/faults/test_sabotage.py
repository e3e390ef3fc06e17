"""The campaign can fail: whatever is broken in the relay on purpose, a line of the output tells."""

import pytest

from .subprocess_run import run

# How it is broken, and the line that tells: as in `sabotage`, which can't be read without the campaign's own settings.
TOLD_BY = {
    "blind retry": "duplicated",
    "no settle wait": "duplicated",
    "lease returns to queued": "duplicated",
    "attempt recorded after the call": "unrecorded",
    "match by existence": "lost",
}


# On a machine that does other things besides, what is broken may just come out well; hardly ever this often.
SEEDS = ("1", "2", "3")


@pytest.mark.long
@pytest.mark.parametrize("broken", TOLD_BY)
def test_a_broken_relay_is_told(broken: str) -> None:
    ran = next(
        (ran for seed in SEEDS if (ran := run("without keys", "--seed", seed, "--sabotage", broken)).code == 1), None
    )
    assert ran is not None
    assert ran.results[TOLD_BY[broken]] > 0, ran.output


@pytest.mark.long
def test_a_relay_that_is_whole_bears_the_same() -> None:
    ran = run("without keys", "--seed", "1", "--sabotage", "nothing")
    assert ran.code == 0, ran.output
    assert ran.results["faults"] > 0
