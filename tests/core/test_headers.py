"""What every address says in its headers, whoever asks, and that posts from other sites are refused at each."""

import gzip
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.http import HttpResponse
from django.test import Client

from formation_portal.core.pages.content_policy import ISOLATED_POLICY
from tests.journeys.conftest import full_catalog
from tests.test_fuzzed_addresses import ADDRESSES, EVERYBODY, Address, asked_by, everybody, real

__all__ = ["everybody", "full_catalog", "real"]

pytestmark = pytest.mark.django_db(databases=["default", "service"])

PROJECT = Path(__file__).parents[2]
# Where machines post, which send no such header and no cookie.
MACHINES = ("/api/", "/webhooks/")
# A letter is shown in a frame of ours, and an operator's logo may have style in it.
FRAMED = ("/letters/", "/gallery/letters/")
SAME = {
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
# As htmx sends them.
PARTS = {"HX-Request": "true", "HX-Target": "results", "HX-Current-URL": "http://testserver/elsewhere/"}
# Signing out would end the others' session.
WALKED = [one for one in ADDRESSES if one.name != "account_logout"]


# Each address asked by everybody, or in short by whom it is meant for and by some others.
thoroughly = pytest.mark.parametrize("is_thorough", [False, pytest.param(True, marks=pytest.mark.long)])


def walk(real: dict[str, str], who: str = "") -> list[tuple[Address, str]]:
    """Every address with the path of something that is there; those that `asked_by` chooses for somebody."""
    nobodys = "00000000-0000-0000-0000-000000000000"
    parts = {
        one: {
            p: nobodys if kind == "uuid" else real.get(p, "1" if kind == "int" else "x")
            for p, kind in one.parts.items()
        }
        for one in (asked_by(who, WALKED) if who else WALKED)
    }
    return [(one, one.path(**parts[one])) for one in parts]


def how_drawn(answer: Any) -> tuple[object, ...]:
    """What makes an answer another one, whatever moment and number stand in it."""
    of_htmx = {name for name in answer.headers if name.startswith("HX-")}
    return answer.status_code, [one.name for one in answer.templates][:1], of_htmx


def wrong_headers(answer: HttpResponse, path: str, *, who: str) -> list[str]:
    policy = dict(directive.strip().partition(" ")[::2] for directive in answer["Content-Security-Policy"].split(";"))
    ancestors = "'self'" if path.startswith(FRAMED) and "sandbox" in policy else "'none'"
    is_download = "attachment" in answer.get("Content-Disposition", "")
    is_public = path.startswith("/operator/") or path == "/api/v1/catalog"
    permissions = set(answer.get("Permissions-Policy", "").split(","))
    is_right = {name: answer.get(name) == value for name, value in SAME.items()} | {
        # Not even to a page of ours, where the address holds a key.
        "Referrer-Policy": answer.get("Referrer-Policy") in ("same-origin", "no-referrer"),
        "frame-ancestors": policy.get("frame-ancestors") == ancestors,
        "default-src": policy.get("default-src") == "'none'",
        "script-src": re.fullmatch(r"'none'|'nonce-[\w-]{22}'", policy.get("script-src", "'none'")),
        "Permissions-Policy": {"camera=()", "geolocation=()", "payment=()"} <= permissions,
        "policy of a download": not is_download or answer["Content-Security-Policy"] == ISOLATED_POLICY,
        "Cache-Control": who == "nobody" or is_public or "no-store" in answer.get("Cache-Control", ""),
    }
    return [name for name, holds in is_right.items() if not holds]


@thoroughly
@pytest.mark.usefixtures("noted_templates")
@pytest.mark.parametrize("who", EVERYBODY)
def test_every_address_says_what_it_must_and_how_it_differs_for_htmx(
    who: str, is_thorough: bool, everybody: dict[str, Client], real: dict[str, str], full_catalog: Any
) -> None:
    wrong, differing = [], set()
    for address, path in walk(real, "" if is_thorough else who):
        page = everybody[who].get(path)
        part = everybody[who].get(path, headers=PARTS)
        for answer in (page, part):
            # A file that is sent is closed by being read.
            b"".join(answer) if answer.streaming else answer.content
            wrong += [f"{path} ({answer.status_code}): {one}" for one in wrong_headers(answer, path, who=who)]
        if how_drawn(page) != how_drawn(part):
            differing.add(address.name)
            if not all("HX-Request" in answer.get("Vary", "") for answer in (page, part)):
                wrong.append(f"{path}: Vary")
    assert not wrong, "\n".join(wrong)
    expected = {"nobody": {"catalog", "guide"}, "customer": {"people"}, "agent": {"news", "case_news"}}
    assert expected[who] <= differing


def test_a_page_is_packed_and_its_length_does_not_tell_how_well(as_nobody: Client) -> None:
    answers = [as_nobody.get("/privacy/", headers={"Accept-Encoding": "gzip, br"}) for _ in range(10)]
    assert {answer["Content-Encoding"] for answer in answers} == {"gzip"}
    assert all("Accept-Encoding" in answer["Vary"] for answer in answers)
    assert b"<h1>" in gzip.decompress(answers[0].content)
    # A file name of random length stands in gzip's own head (BREACH).
    assert len({answer.content.index(b"\0", 10) for answer in answers}) > 1


@thoroughly
@pytest.mark.parametrize(
    ("who", "site"), [("nobody", "cross-site"), ("customer", "cross-site"), ("agent", "same-site")]
)
def test_a_post_from_another_site_is_refused_at_every_address(
    who: str, site: str, is_thorough: bool, everybody: dict[str, Client], real: dict[str, str], full_catalog: Any
) -> None:
    taken = []
    for _, path in walk(real, "" if is_thorough else who):
        answer = everybody[who].post(path, headers={"Sec-Fetch-Site": site})
        refused = answer.status_code == 403 and b"Not saved yet" in answer.content
        if refused == path.startswith(MACHINES):
            taken.append(f"{path}: {answer.status_code}")
    assert not taken, "\n".join(taken)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 302),
        ({"Sec-Fetch-Site": "same-origin"}, 302),
        ({"Sec-Fetch-Site": "none"}, 302),
        ({"Sec-Fetch-Site": "cross-site", "Origin": "https://portal.example"}, 302),
        ({"Sec-Fetch-Site": "cross-site", "Origin": "https://elsewhere.example"}, 403),
    ],
)
def test_our_own_pages_and_trusted_sites_may_post(
    as_nobody: Client, headers: dict[str, str], status: int, settings: Any
) -> None:
    settings.CSRF_TRUSTED_ORIGINS = ["https://portal.example"]
    assert as_nobody.post("/display/", {"theme": "dark"}, headers=headers).status_code == status


def test_a_post_without_a_token_is_refused_at_every_address(
    owner: Any, real: dict[str, str], full_catalog: Any
) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(owner)
    # Language and theme of a browser, which anybody may choose.
    open_ = (*MACHINES, "/display/", "/language/")
    refused = {path: b"Not saved yet" in browser.post(path).content for _, path in walk(real)}
    assert [path for path, is_refused in refused.items() if is_refused == path.startswith(open_)] == []


def test_the_cookies_of_a_session_are_no_scripts(as_nobody: Client, owner: Any) -> None:
    owner.set_password("a-long-password-of-her-own")
    owner.save()
    answer = as_nobody.post("/accounts/login/", {"login": owner.email, "password": "a-long-password-of-her-own"})
    assert answer.status_code == 302
    for name in (settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME):
        assert as_nobody.cookies[name]["httponly"], name
        assert as_nobody.cookies[name]["samesite"] == "Lax", name


def test_with_the_settings_that_operators_are_given_djangos_checks_find_nothing(tmp_path: Path) -> None:
    """deploy/portal.env.example as it stands, with what is a comment of HTTPS; nothing is silenced."""
    lines = (PROJECT / "deploy/portal.env.example").read_text().splitlines()
    given = dict(line.lstrip("#").split("=", 1) for line in lines if re.match(r"[A-Z]|#HSTS_", line))
    own = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LANG")}
    command = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
    environment = own | given | {"DATA_DIR": str(tmp_path / "data")}
    done = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "System check identified no issues (0 silenced).\n"), done.stderr
    assert settings.SILENCED_SYSTEM_CHECKS == []
