"""A secret that is a file is whole or not there, one for all who make it at once, and nobody else's to read."""

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from formation_portal.core.storage import read_or_create_secret, replace_secret


def left_in(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


def test_a_secret_is_made_once_by_whoever_comes_first_and_readable_by_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "key"

    def made_meanwhile() -> str:
        read_or_create_secret(path, lambda: "first")
        return "second"

    assert read_or_create_secret(path, made_meanwhile) == "first"
    assert read_or_create_secret(path, lambda: "third") == "first"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert left_in(tmp_path) == ["key"]


def test_a_secret_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    path = tmp_path / "key"
    for secret in ("a longer one", "short"):
        replace_secret(path, secret)
        assert path.read_text() == secret
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert left_in(tmp_path) == ["key"]


def test_what_the_disk_does_not_take_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "key"
    replace_secret(path, "before")

    def full(_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        replace_secret(path, "after")
    with pytest.raises(OSError, match="No space"):
        read_or_create_secret(tmp_path / "other", lambda: "never")
    monkeypatch.undo()
    assert path.read_text() == "before"
    assert left_in(tmp_path) == ["key"]
