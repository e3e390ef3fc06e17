"""Whatever is chosen on whatever form, and however its answers come, the page ends as the server would draw it."""

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.campaigns import drawn
from tests.journeys.conftest import OpenTab, full_catalog, new_user, open_tab, site
from tests.needed import has_chromium, needed
from tests.strategies import schemas

from .sequences import Tally, has_many_rules, pages_of, run, with_lists

pytestmark = [pytest.mark.long, pytest.mark.browser, needed("Chromium", has_chromium())]

__all__ = ["full_catalog", "open_tab", "site"]

# `make choices` asks for more, and for others.
SEQUENCES = drawn.count(12)
TALLY = Tally()


def test_the_page_ends_as_the_server_would_draw_it(open_tab: OpenTab, site: str) -> None:
    owner = new_user()
    browser = open_tab(owner)
    errors: list[str] = []
    browser.tab.on("pageerror", lambda error: errors.append(str(error)))

    @seed(drawn.seed())
    @settings(
        max_examples=SEQUENCES,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(schemas().filter(has_many_rules), st.integers(0, 2**32))
    def tried(document: dict[str, Any], number: int) -> None:
        chance = random.Random(number)
        if TALLY.count >= SEQUENCES:
            return
        pages = pages_of(with_lists(document, chance), owner)
        for address in chance.sample(pages, k=len(pages)):
            if TALLY.count < SEQUENCES:
                run(browser, address, chance, TALLY)

    tried()
    assert TALLY.different == []
    assert errors == []
    assert TALLY.count == SEQUENCES
    assert all(TALLY.sequences.values())
