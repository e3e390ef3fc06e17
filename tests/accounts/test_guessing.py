"""`make guesses` in short: at a server of two processes that runs, in all four ways."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from formation_portal.core.databases import SERVICE
from tests.accounts.guessing import WAYS, Portal, measured, running

pytestmark = pytest.mark.xdist_group("guessing")


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory, django_db_setup: None, shared_dir: Path) -> Iterator[Portal]:
    folder = tmp_path_factory.mktemp("guessing")
    for alias, name in (("default", "portal"), (SERVICE, "service")):
        if (shared_dir / alias).exists():
            shutil.copyfile(shared_dir / alias, folder / f"{name}.sqlite3")
    with running(folder, processes=2) as portal:
        yield portal


@pytest.mark.parametrize("way", WAYS)
def test_few_guesses_reach_the_hash_and_the_owner_comes_in(portal: Portal, way: str) -> None:
    _, most = WAYS[way]
    reached, comes_in = measured(portal, way, 50)
    assert 1 <= reached <= most
    assert comes_in
