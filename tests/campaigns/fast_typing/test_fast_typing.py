"""Whoever types faster than the network answers loses nothing, and the page holds still meanwhile."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import override_settings

from formation_portal.applications import services
from formation_portal.applications.draft import open_draft
from tests.campaigns import drawn
from tests.campaigns.fast_typing.runs import Tally, run
from tests.journeys.conftest import OpenTab, full_catalog, open_tab
from tests.journeys.drafts import started
from tests.journeys.site import served
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]

__all__ = ["full_catalog", "open_tab"]

# `make typing` asks for more, and for others.
RUNS = drawn.count(3)
PRODUCTS = ("delaware-llc", "bvi-limited-company", "gmbh-zug")
TALLY = Tally()


@pytest.fixture(scope="module")
def site(full_catalog: None, collected: Path) -> Iterator[str]:
    """The portal on a port, whose answers to changes are late."""
    late = ["tests.campaigns.fast_typing.runs.Late", *settings.MIDDLEWARE]
    with override_settings(MIDDLEWARE=late), served(collected) as address:
        yield address


def addresses(slug: str) -> tuple[Any, list[str]]:
    """The owner of a new application, and its pages with questions: sections, a party in all roles, a class."""
    made, owner = started(slug)
    draft = open_draft(made)
    root = f"/applications/{made.reference}"
    pages = [f"{root}/sections/{section.key}/" for section in draft.schema.entity_sections if section.fields]
    roles = [str(section.role) for section in draft.schema.role_sections]
    party = services.add_party(draft, "person", roles, {}, by=owner)
    return owner, [*pages, f"{root}/people/{party.token}/"]


def test_nothing_typed_is_lost_and_nothing_moves(open_tab: OpenTab, site: str) -> None:
    chance = random.Random(drawn.seed())
    for slug in PRODUCTS[: max(1, RUNS // 4)]:
        owner, pages = addresses(slug)
        browser = open_tab(owner)
        for _ in range(RUNS // len(PRODUCTS[: max(1, RUNS // 4)]) + 1):
            if TALLY.runs < RUNS:
                run(browser, chance.choice(pages), chance, TALLY)
        assert browser.faults == []
    assert TALLY.runs == RUNS
    assert TALLY.updates > 0
    assert TALLY.wrong == []
    assert TALLY.lost == 0
    assert TALLY.moved == []
