"""Guesses are counted in the database before anything is hashed, and whoever guesses shuts nobody out."""

import re
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.test import Client, RequestFactory
from django.utils import timezone

from formation_portal.accounts import guesses
from formation_portal.accounts.guesses import Limit, TooManyGuesses, counted, give_back, take
from formation_portal.accounts.models import GuessCount
from tests.accounts.people import EMAIL, PASSWORD, is_in, person, sign_in, signed_in
from tests.accounts.test_addresses import kinds, reset

pytestmark = pytest.mark.django_db(databases=["default", "service"])

THREE = Limit("three", 3, 60)
SPACED = Limit("spaced", 3, 60, spacing=5)


class Clock:
    """The time that guesses are counted by."""

    now = 1_800_000_000.0

    def time(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(guesses, "time", clock)
    return clock


def wait_for(limit: Limit, whose: str = "ada") -> int:
    """Seconds that one has to wait; 0 where the guess was counted."""
    try:
        take((limit, whose))
    except TooManyGuesses as full:
        return full.seconds
    return 0


def test_no_span_of_time_has_more_than_the_limit(clock: Clock) -> None:
    taken = []
    for _ in range(200):
        clock.now += 7
        if not wait_for(THREE):
            taken.append(clock.now)
    assert all(later - earlier >= 60 for earlier, later in zip(taken, taken[3:], strict=False))
    assert len(taken) >= 3 * 200 * 7 // 70


def test_the_wait_that_is_told_is_the_one_after_which_it_is_taken(clock: Clock) -> None:
    for _ in range(3):
        assert wait_for(THREE) == 0
        clock.now += 1
    assert wait_for(THREE) == 57
    clock.now += 56
    assert wait_for(THREE) == 1
    clock.now += 1
    assert wait_for(THREE) == 0


def test_nothing_is_counted_where_one_of_several_is_full(clock: Clock) -> None:
    for _ in range(3):
        wait_for(THREE)
    with pytest.raises(TooManyGuesses):
        take((SPACED, "here"), (THREE, "ada"))
    assert [wait_for(SPACED, "here") for _ in range(3)] == [0, 0, 0]


def test_what_was_right_was_no_guess_and_what_was_wrong_before_stays(clock: Clock) -> None:
    wait_for(THREE)
    clock.now += 1
    give_back(take((THREE, "ada")), (THREE, "ada"))
    with pytest.raises(ValidationError), counted((THREE, "ada")):
        raise ValidationError("wrong")
    with counted((THREE, "ada")):
        pass
    assert [wait_for(THREE) > 0 for _ in range(2)] == [False, True]


def test_what_was_right_stays_counted_for_nobody_else_who_guessed_at_that_moment(clock: Clock) -> None:
    for whose in ("grace", "ada"):
        taken_at = take((THREE, whose))
    give_back(taken_at, (THREE, "ada"))
    assert {whose: [wait_for(THREE, whose) > 0 for _ in range(4)] for whose in ("grace", "ada")} == {
        "grace": [False, False, True, True],
        "ada": [False, False, False, True],
    }


def test_the_table_names_no_account_and_no_address() -> None:
    person()
    sign_in(Client(REMOTE_ADDR="203.0.113.77"), "wrong")
    kept = list(GuessCount.objects.values_list("key", flat=True))
    assert len(kept) == 2
    # A digest alone: searched for "ada", a digest has it by chance once in a hundred runs.
    assert all(re.fullmatch("[0-9a-f]{64}", key) for key in kept)


def test_what_counts_no_more_is_deleted(clock: Clock) -> None:
    wait_for(THREE)
    guesses.delete_old_counts()
    assert GuessCount.objects.count() == 1
    GuessCount.objects.update(until=timezone.now())
    guesses.delete_old_counts()
    assert not GuessCount.objects.exists()


@pytest.mark.parametrize(
    ("one", "other", "are_one"),
    [
        ("2001:db8:1:2::7", "2001:db8:1:2:ffff::1", True),
        ("2001:db8:1:2::7", "2001:db8:1:3::7", False),
        ("203.0.113.7", "203.0.113.8", False),
    ],
)
def test_one_customers_machines_are_one_address(one: str, other: str, are_one: bool) -> None:
    found = {guesses.client_address(RequestFactory().get("/", REMOTE_ADDR=address)) for address in (one, other)}
    assert (len(found) == 1) is are_one


def test_five_guesses_of_any_spelling_from_anywhere_reach_the_hash_and_the_sixth_reads_when_to_go_on(
    hashed: list[str],
) -> None:
    person()
    hashed.clear()
    answers = []
    for number in range(12):
        login = (EMAIL, " ADA@example.com", "ada@EXAMPLE.com ")[number % 3]
        forwarded = {"X-Forwarded-For": f"198.51.100.{number}", "X-Real-IP": f"198.51.100.{number}"}
        client = Client(headers=forwarded, REMOTE_ADDR=f"203.0.113.{number}")
        answers.append(sign_in(client, f"{PASSWORD}{number}", login))
    assert [answer.status_code for answer in answers] == [200] * 5 + [429] * 7
    assert len(hashed) == 5
    assert 0 < int(answers[5]["Retry-After"]) <= 300
    page = answers[9].content.decode()
    assert "Too many attempts. Wait 5 minutes, then try again." in page
    assert EMAIL in page
    assert PASSWORD not in page
    assert [sign_in(Client(), "wrong", "nobody@example.com").status_code for _ in range(6)] == [200] * 5 + [429]


def test_whoever_has_signed_in_here_before_does_so_while_strangers_guess(hashed: list[str]) -> None:
    person()
    owner, elsewhere = Client(), Client()
    assert sign_in(owner).status_code == 302
    owner.post("/accounts/logout/")
    for n in range(30):
        sign_in(Client(REMOTE_ADDR="203.0.113.9"), f"wrong {n}")
    assert sign_in(elsewhere).status_code == 429, "nobody knows this one"
    assert sign_in(owner).status_code == 302
    assert is_in(owner)
    owner.post("/accounts/logout/")
    hashed.clear()
    assert [sign_in(owner, "wrong").status_code for _ in range(7)] == [200] * 5 + [429] * 2, (
        "it may guess no more often"
    )
    assert len(hashed) == 5


def test_others_sign_in_from_the_address_that_somebody_guesses_from(clock: Clock) -> None:
    person()
    person("grace@example.com")
    for n in range(50):
        sign_in(Client(), "wrong", f"nobody{n}@example.com")
    delayed = sign_in(Client(), email="grace@example.com")
    assert (delayed.status_code, delayed["Retry-After"]) == (429, "10")
    clock.now += 10
    assert sign_in(Client(), email="grace@example.com").status_code == 302
    assert sign_in(Client(REMOTE_ADDR="203.0.113.9")).status_code == 302


def test_the_cookie_of_a_known_device_is_the_servers_alone_and_dies_with_the_password(hashed: list[str]) -> None:
    user = person()
    client = signed_in()
    cookie = client.cookies["device"]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Lax", "/")
    assert cookie["max-age"] > 300 * 24 * 60 * 60
    for _ in range(5):
        sign_in(Client(REMOTE_ADDR="203.0.113.8"), "wrong")
    forged = Client()
    forged.cookies["device"] = cookie.value[:-2] + "xx"
    assert sign_in(forged).status_code == 429
    other = person("grace@example.com")
    stolen = Client()
    stolen.cookies["device"] = cookie.value
    for _ in range(5):
        sign_in(Client(REMOTE_ADDR="203.0.113.9"), "wrong", other.email)
    assert sign_in(stolen, email=other.email).status_code == 429, "it is known for one account"
    user.set_password("another long passphrase")
    user.save()
    assert sign_in(stolen, "another long passphrase").status_code == 429


def test_a_browser_is_known_for_five_accounts_and_under_tls_to_no_other_host(settings: Any) -> None:
    client = Client()
    for n in range(6):
        sign_in(client, email=person(f"ada{n}@example.com").email)
        client.post("/accounts/logout/")
    for n in range(6):
        for _ in range(5):
            sign_in(Client(REMOTE_ADDR=f"203.0.113.{n}"), "wrong", f"ada{n}@example.com")
    assert [sign_in(client, email=f"ada{n}@example.com").status_code for n in (0, 5)] == [429, 302]
    settings.SESSION_COOKIE_SECURE = True
    other = Client()
    sign_in(other, email=person("eve@example.com").email)
    assert other.cookies["__Host-device"]["secure"] is True


def test_a_reset_opens_the_way_for_the_owner_while_strangers_guess() -> None:
    person()
    for _ in range(6):
        sign_in(Client(), "wrong")
    assert is_in(reset(EMAIL, "another long passphrase"))


@pytest.mark.parametrize("path", ["/accounts/reauthenticate/", "/accounts/password/change/"])
def test_a_session_that_was_taken_over_guesses_no_more_often(path: str, hashed: list[str]) -> None:
    person()
    client = signed_in()
    hashed.clear()
    new = {"password1": "another long passphrase", "password2": "another long passphrase"}
    answers = [client.post(path, {"password": f"w{n}", "oldpassword": f"w{n}", **new}) for n in range(8)]
    assert [one.status_code for one in answers] == [200] * 5 + [429] * 3
    assert [one for one in hashed if one.startswith("w")] == [f"w{n}" for n in range(5)]


def test_letters_with_a_new_way_in_are_few_and_the_page_does_not_tell() -> None:
    person()
    pages = {Client().post("/accounts/password/reset/", {"email": EMAIL})["Location"] for _ in range(9)}
    assert pages == {"/accounts/password/reset/done/"}
    assert kinds(EMAIL) == ["password_reset"] * 5
    # Who asks for too many waits.
    answers = [Client().post("/accounts/password/reset/", {"email": f"a{n}@example.com"}) for n in range(12)]
    assert {answer.status_code for answer in answers[:11]} == {302}
    assert (answers[11].status_code, answers[11]["Retry-After"]) == (429, "5")


@pytest.mark.django_db(transaction=True, databases=["default", "service"])
def test_of_guesses_that_arrive_at_once_as_many_reach_the_hash() -> None:
    person()
    barrier = threading.Barrier(20)

    def is_taken(n: int) -> bool:
        barrier.wait()
        try:
            take((guesses.ACCOUNT, EMAIL), (guesses.ADDRESS, f"203.0.113.{n % 3}"))
        except TooManyGuesses:
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor(20) as pool:
        assert sum(pool.map(is_taken, range(20))) == 5


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
    clock: Clock, limit: Limit, most: int, seconds: int, before: int
) -> None:
    assert [taken_at_once(limit, whose) for whose in ("ada", "grace")] == [most, most]
    clock.now += seconds - 1
    assert taken_at_once(limit, "ada") == before
    clock.now += 1
    assert taken_at_once(limit, "grace") == most


def test_every_limit_is_in_the_table() -> None:
    assert {id(limit) for limit, *_ in LIMITS} == {id(one) for one in vars(guesses).values() if isinstance(one, Limit)}
