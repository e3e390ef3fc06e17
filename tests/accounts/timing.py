"""`make discovery`: whether the time of an answer tells who has an account. Signing in, signing up and asking for a new
password, 200 times each for an address that has one and one that has none, by turns, as outside the demo.

Prints medians in milliseconds, and the median difference between the two answers of a turn: a machine that slows down
on the way slows both. Ends with 1 where that difference is over 5 %.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

_MOST = 0.05
_PASSWORD = "a long enough passphrase"  # of accounts that live as long as the measurement


def main(arguments: list[str] | None = None) -> int:
    """1 where a median gives accounts away."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tries", type=int, default=200)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        _set_up(Path(folder))
        ways: dict[str, Callable[[str], object]] = {"sign_in": _sign_in, "sign_up": _sign_up, "reset": _reset}
        is_good = True
        for name, ask in ways.items():
            turns = _turns(ask, options.tries)
            known, unknown = (statistics.median(times) for times in zip(*turns, strict=True))
            apart = abs(statistics.median(one / other for one, other in turns) - 1)
            is_good &= apart <= _MOST
            print(f"{name}_known {known:.1f} ms\n{name}_unknown {unknown:.1f} ms\n{name}_apart {apart:.1%}", flush=True)  # noqa: T201
    return 0 if is_good else 1


def _set_up(folder: Path) -> None:
    os.environ |= {
        "DATA_DIR": str(folder),
        "DEMO": "false",
        "EMAIL_URL": f"file://{folder}/letters",
        "LOG_LEVEL": "ERROR",
        "DJANGO_SETTINGS_MODULE": "formation_portal.settings",
    }
    import django

    django.setup()
    from django.conf import settings
    from django.core.management import call_command

    from formation_portal.accounts import addresses
    from formation_portal.accounts.models import User

    # The name by which Django's own client asks; as a setting it would be a public host.
    settings.ALLOWED_HOSTS = ["testserver"]
    call_command("setup_portal", stdout=sys.stderr)
    addresses.confirm(User.objects.create_user("known@example.com", _PASSWORD))


def _turns(ask: Callable[[str], object], tries: int) -> list[tuple[float, float]]:
    """Milliseconds for an address with an account and for one without, turn by turn. Nothing is counted from one to the
    next."""
    from django.core.cache import cache

    from formation_portal.accounts.models import GuessCount, User

    turns, emails = [], ["known@example.com", "unknown@example.com"]
    for _ in range(tries + 2):
        spent = {}
        emails.reverse()
        for email in emails:
            GuessCount.objects.all().delete()
            cache.clear()
            User.objects.filter(email="unknown@example.com").delete()
            began = time.perf_counter()
            ask(email)
            spent[email] = (time.perf_counter() - began) * 1000
        turns.append((spent["known@example.com"], spent["unknown@example.com"]))
    # The first ones load what all others find.
    return turns[2:]


def _post(path: str, posted: dict[str, str]) -> Any:
    from django.test import Client

    return Client().post(path, posted)


def _sign_in(email: str) -> None:
    assert _post("/accounts/login/", {"login": email, "password": "wrong"}).status_code == 200


def _sign_up(email: str) -> None:
    posted = {"first_name": "Ada", "last_name": "Byron", "email": email, "password1": _PASSWORD}
    assert _post("/accounts/signup/", posted).status_code == 302


def _reset(email: str) -> None:
    assert _post("/accounts/password/reset/", {"email": email}).status_code == 302


if __name__ == "__main__":
    sys.exit(main())
