"""Settings that name a folder."""

from pathlib import Path

import pytest

from formation_portal.environment import read_environment


@pytest.mark.parametrize("name", ["PDF_FONTS", "OPERATOR_TEXTS", "STATIC_DIR"])
def test_a_folder_that_is_there_is_the_one_that_is_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    monkeypatch.setenv(name, str(tmp_path))
    assert getattr(read_environment(), name.lower()) == str(tmp_path)
