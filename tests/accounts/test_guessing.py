"""`make guesses` in short: at a server of two processes that runs, in all four ways."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.accounts.guessing import WAYS, Portal, measured, running

pytestmark = [pytest.mark.xdist_group("guessing"), pytest.mark.long]


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory, with_databases: Callable[..., Path]) -> Iterator[Portal]:
    with running(with_databases(tmp_path_factory.mktemp("guessing")), processes=2) as portal:
        yield portal


@pytest.mark.parametrize("way", WAYS)
def test_few_guesses_reach_the_hash_and_the_owner_comes_in(portal: Portal, way: str) -> None:
    reached, comes_in = measured(portal, way, 25)
    assert 1 <= reached <= WAYS[way].most
    assert comes_in
