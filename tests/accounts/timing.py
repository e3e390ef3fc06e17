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
from pathlib import Path

_MOST = 0.05
_PASSWORD = "a long enough passphrase"  # of accounts that live as long as the measurement

# By its name: the page below /accounts/, the form without an address, the name of the address, and the answer's status.
_WAYS = {
    "sign_in": ("login", {"password": "wrong"}, "login", 200),
    "sign_up": ("signup", {"first_name": "Ada", "last_name": "Byron", "password1": _PASSWORD}, "email", 302),
    "reset": ("password/reset", {}, "email", 302),
}


def main(arguments: list[str] | None = None) -> int:
    """1 where a median gives accounts away."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tries", type=int, default=200)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        _set_up(Path(folder))
        is_good = True
        for name, way in _WAYS.items():
            turns = _turns(*way, options.tries)
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


def _turns(page: str, form: dict[str, str], name: str, status: int, tries: int) -> list[tuple[float, float]]:
    """Milliseconds for an address with an account and for one without, turn by turn. Nothing is counted from one to the
    next."""
    from django.core.cache import cache
    from django.test import Client

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
            answer = Client().post(f"/accounts/{page}/", form | {name: email})
            spent[email] = (time.perf_counter() - began) * 1000
            assert answer.status_code == status
        turns.append((spent["known@example.com"], spent["unknown@example.com"]))
    # The first ones load what all others find.
    return turns[2:]


if __name__ == "__main__":
    sys.exit(main())
