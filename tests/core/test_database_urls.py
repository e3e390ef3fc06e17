"""What the address of a database means: TLS to another machine, unless the address says why not."""

from pathlib import Path

import pytest

from formation_portal.core.databases import database_settings


def sslmode(url: str) -> str | None:
    found = database_settings(url, default_path=Path("unused"))["OPTIONS"].get("sslmode")
    return None if found is None else str(found)


@pytest.mark.parametrize("host", ["db.internal", "10.0.0.5", "[2001:db8::1]", "localhost.example"])
def test_another_machine_takes_tls(host: str) -> None:
    assert sslmode(f"postgres://portal:secret@{host}/portal") == "require"


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]", "%2Fvar%2Frun%2Fpostgresql", ""])
def test_this_machine_needs_none(host: str) -> None:
    assert sslmode(f"postgres://portal:secret@{host}/portal") is None


@pytest.mark.parametrize("mode", ["disable", "verify-full"])
def test_the_address_has_the_last_word(mode: str) -> None:
    assert sslmode(f"postgres://portal:secret@db.internal/portal?sslmode={mode}") == mode
