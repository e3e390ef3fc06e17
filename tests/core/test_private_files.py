"""Whatever the portal has made in DATA_DIR, also in versions before, is its own user's alone after each start."""

import os
import stat
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management.base import CommandError, OutputWrapper

from formation_portal.core import private_files
from formation_portal.core.private_files import keep_files_private, open_to_others


@pytest.fixture
def data_dir(tmp_path: Path, settings: Any) -> Iterator[Path]:
    """As a version before may have left it: readable for everybody."""
    folder = tmp_path / "data"
    for name in ("portal.sqlite3", "portal.sqlite3-wal", "documents/FP-1/passport.pdf", "static/css/index.css"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("content")
        path.chmod(0o644)
    (tmp_path / "elsewhere").write_text("content")
    (folder / "link").symlink_to(tmp_path / "elsewhere")
    for path in (folder, *folder.rglob("*")):
        if path.is_dir():
            path.chmod(0o755)
    settings.DATA_DIR = folder
    before = os.umask(0o022)
    yield folder
    os.umask(before)


def modes(folder: Path) -> dict[str, str]:
    paths = (folder, *sorted(folder.rglob("*")))
    return {str(path.relative_to(folder)): oct(stat.S_IMODE(path.stat().st_mode)) for path in paths}


def test_what_others_could_open_is_closed_but_for_static_files_and_stays_so(data_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").chmod(0o644)
    keep_files_private(OutputWrapper(StringIO()))
    assert modes(data_dir) == {
        ".": "0o700",
        "documents": "0o700",
        "documents/FP-1": "0o700",
        "documents/FP-1/passport.pdf": "0o600",
        "link": "0o644",
        "portal.sqlite3": "0o600",
        "portal.sqlite3-wal": "0o600",
        "static": "0o755",
        "static/css": "0o755",
        "static/css/index.css": "0o644",
    }
    assert list(open_to_others()) == []
    (data_dir / "new").mkdir()
    (data_dir / "new/file").write_text("content")
    assert modes(data_dir / "new") == {".": "0o700", "file": "0o600"}


def test_where_it_cant_be_closed_or_is_somebody_elses_the_start_ends_outside_the_demo(
    data_dir: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a file system that takes every mode and keeps its own."""
    monkeypatch.setattr(private_files.Path, "chmod", lambda *_: None)
    output = StringIO()
    settings.DEMO = True
    keep_files_private(OutputWrapper(output))
    [line] = output.getvalue().splitlines()
    assert line.startswith(f"Warning: DATA_DIR: others on this machine can open {data_dir}, and")
    settings.DEMO = False
    with pytest.raises(CommandError, match="DATA_DIR: others on this machine can open") as ended:
        keep_files_private(OutputWrapper(output))
    assert "name a folder in it" in str(ended.value)

    def refuse(path: Path, mode: int) -> None:
        if path.name == "documents":
            raise PermissionError
        os.chmod(path, mode)  # noqa: PTH101  # the other one is this

    monkeypatch.setattr(private_files.Path, "chmod", refuse)
    with pytest.raises(CommandError, match=f"can open {data_dir}/documents, and"):
        keep_files_private(OutputWrapper(output))


def test_a_database_that_is_a_file_elsewhere_is_closed_too(
    data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = tmp_path / "service.sqlite3"
    database.write_text("content")
    database.chmod(0o644)
    connection = type("Connection", (), {"vendor": "sqlite", "settings_dict": {"NAME": database}})
    monkeypatch.setattr(private_files, "connections", type("All", (), {"all": lambda: [connection]}))
    keep_files_private(OutputWrapper(StringIO()))
    assert stat.S_IMODE(database.stat().st_mode) == 0o600
