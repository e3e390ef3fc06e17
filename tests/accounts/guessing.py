"""`make guesses`: 1,000 guesses of one account's password at servers that run, in four ways: from one address, from
addresses that rotate, spread over processes, and fifty at the same instant. At most five reach the hash in five
minutes, ten where they come at once; and the owner signs in meanwhile, on a device that is known.

Prints lines of `name value`, and ends with 1 where a limit was passed.
"""

import argparse
import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import requests
from django.contrib.auth.hashers import MD5PasswordHasher

from tests.management.served import READY, Served, free_port, manage

PASSWORD = "a long enough passphrase"  # of accounts that live as long as the measurement
# Django compares the cookie with what was posted, and wants nothing else of either.
_TOKEN = "g" * 32
_AT_ONCE = 50


class CountingHasher(MD5PasswordHasher):
    """Leaves a byte in a file for each password that is hashed, and costs next to nothing."""

    algorithm = "counting"

    def encode(self, password: str, salt: str) -> str:
        """As MD5 does, under a name of its own."""
        with Path(os.environ["DATA_DIR"], "hashes").open("ab", buffering=0) as file:
            file.write(b".")
        return super().encode(password, salt)


@dataclass
class Portal:
    """A portal that runs, whose hashes are counted."""

    served: Served

    @property
    def hashes(self) -> int:
        """How many passwords were hashed so far."""
        return (self.served.data / "hashes").stat().st_size

    def sign_in(self, email: str, password: str, *, address: str, device: str = "") -> bool:
        """Whether a try opens the account, over a connection of its own."""
        posted = {"login": email, "password": password}
        return self.post("login", posted, address=address, device=device).status_code == 302

    def post(self, page: str, posted: dict[str, str], *, address: str, device: str = "") -> requests.Response:
        """Post a form of accounts."""
        return requests.post(
            f"http://127.0.0.1:{self.served.port}/accounts/{page}/",
            posted | {"csrfmiddlewaretoken": _TOKEN},
            headers={"X-Forwarded-For": address, "Cookie": f"csrftoken={_TOKEN}; device={device}"},
            allow_redirects=False,
            timeout=60,
        )


@contextmanager
def running(folder: Path, *, processes: int) -> Iterator[Portal]:
    """A portal of so many processes, on whatever databases lie in the folder. It believes a proxy on this machine, so
    that addresses can rotate."""
    (folder / "hashes").touch()
    more = {"WEB_PROCESSES": str(processes), "TRUSTED_PROXIES": "127.0.0.0/8", "LOG_LEVEL": "ERROR"}
    more["DJANGO_SETTINGS_MODULE"] = "tests.accounts.guessing_settings"
    # By itself, since a slow machine may take longer for it than a start may.
    manage(folder, "setup_portal", **more).check_returncode()
    served = Served(folder, free_port(), more).start()
    assert served.process.stdout
    # What it goes on saying is read, so that no pipe is full.
    served.reader = threading.Thread(target=lambda: served.lines.extend(served.process.stdout or ()), daemon=True)
    try:
        served.until(READY)
        served.reader.start()
        yield Portal(served)
    finally:
        served.process.terminate()
        served.process.wait(60)
        if served.reader.ident:
            served.reader.join(60)
        served.process.stdout.close()


@dataclass(frozen=True)
class Way:
    """One way to guess: so many at a time, from addresses that rotate or not; and how many may reach the hash."""

    at_a_time: int
    rotates: bool
    most: int

    def guess(self, portal: Portal, email: str, count: int) -> None:
        """Each thread has connections of its own. Only fifty wait for one another."""
        threads = min(self.at_a_time, count)
        barrier = threading.Barrier(threads if self.at_a_time == _AT_ONCE else 1)

        def work(thread: int) -> None:
            for number in range(thread, count, threads):
                barrier.wait(60)
                address = f"198.51.{number // 250}.{number % 250 + 1}" if self.rotates else "203.0.113.1"
                portal.sign_in(email, f"wrong {number}", address=address)

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(work, range(threads)))


WAYS = {
    "one_address": Way(1, rotates=False, most=5),
    "rotating_addresses": Way(1, rotates=True, most=5),
    "spread_over_processes": Way(8, rotates=False, most=5),
    "at_once": Way(_AT_ONCE, rotates=True, most=10),
}


def measured(portal: Portal, way: str, count: int) -> tuple[int, bool]:
    """How many of so many guesses reached the hash, and whether the owner came in meanwhile, on the device that has
    signed in before, and from where the guesses come."""
    email = f"{way}@example.com"
    posted = {"first_name": "Ada", "last_name": "Byron", "email": email, "password1": PASSWORD}
    device = portal.post("signup", posted, address="192.0.2.1").cookies["device"]
    before = portal.hashes
    WAYS[way].guess(portal, email, count)
    reached = portal.hashes - before
    return reached, portal.sign_in(email, PASSWORD, address="203.0.113.1", device=device)


def main(arguments: list[str] | None = None) -> int:
    """At one process and at four. 1 where a limit was passed or an owner kept out."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--processes", type=int, nargs="*", default=[1, 4])
    options = parser.parse_args(arguments)
    is_good = True
    for processes in options.processes:
        with tempfile.TemporaryDirectory() as folder, running(Path(folder), processes=processes) as portal:
            for name, way in WAYS.items():
                reached, comes_in = measured(portal, name, options.count)
                is_good &= reached <= way.most and comes_in
                print(f"{name}_{processes}_processes_hashed {reached} of {options.count}, at most {way.most}")  # noqa: T201
                print(f"{name}_{processes}_processes_owner_comes_in {comes_in}")  # noqa: T201
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
