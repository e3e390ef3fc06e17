"""Every limit of guesses and letters: how many at once, and for how long that counts."""

import pytest

from formation_portal.accounts import guesses
from formation_portal.accounts.guesses import Limit, TooManyGuesses, take
from tests.accounts.test_guesses import Clock

pytestmark = pytest.mark.django_db

# The limit, how many at once, the seconds after which as many are taken again, and how many are taken a second before.
LIMITS = [
    (guesses.ACCOUNT, 5, 300, 0),
    (guesses.DEVICE, 5, 300, 0),
    (guesses.ADDRESS, 10, 300, 1),
    (guesses.SIGN_IN_CODES, 5, 900, 0),
    (guesses.ACCOUNT_CODES, 5, 300, 0),
    (guesses.DAILY_CODES, 50, 86_400, 0),
    (guesses.SENT_CODE, 5, 900, 0),
    (guesses.RESET_EMAILS, 5, 3_600, 0),
    (guesses.RESET_ADDRESS, 20, 300, 1),
    (guesses.EMAILS_OF_ACCOUNT, 100, 86_400, 0),
    (guesses.EMAILS_TO_ADDRESS, 10, 86_400, 0),
]


def taken_at_once(limit: Limit, whose: str) -> int:
    for number in range(200):
        try:
            take((limit, whose))
        except TooManyGuesses:
            return number
    raise AssertionError("no limit")


@pytest.mark.parametrize(("limit", "most", "seconds", "before"), LIMITS, ids=[row[0].name for row in LIMITS])
def test_as_many_are_taken_again_when_the_limits_time_is_over(
    limit: Limit, most: int, seconds: int, before: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr(guesses, "time", clock)
    assert [taken_at_once(limit, whose) for whose in ("ada", "grace")] == [most, most]
    clock.now += seconds - 1
    assert taken_at_once(limit, "ada") == before
    clock.now += 1
    assert taken_at_once(limit, "grace") == most


def test_every_limit_is_in_the_table() -> None:
    assert {id(limit) for limit, *_ in LIMITS} == {id(one) for one in vars(guesses).values() if isinstance(one, Limit)}
