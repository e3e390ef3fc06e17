"""The line above a case that came back: how much was changed, added and removed since it was returned."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from formation_portal.applications.draft import Draft
from tests import factories
from tests.desk.decision_setup import case_page
from tests.desk.review_rounds import add_bob, again, rename

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def _rename(draft: Draft, owner: Any) -> None:
    rename(draft, "Larkfield Overseas", owner)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ((_rename,), "1 answer changed since this was returned on "),
        ((add_bob,), "1 person, company or share class added since this was returned on "),
        ((), "No changes since this was returned on "),
    ],
    ids=["changed", "added", "neither"],
)
def test_the_line_has_what_was_done_and_nothing_else(
    submitted: Draft,
    as_agent: Client,
    agent: Any,
    owner: Any,
    changes: tuple[Callable[[Draft, Any], None], ...],
    words: str,
) -> None:
    def change(_: Draft) -> None:
        for one in changes:
            one(factories.again(submitted), owner)

    again(submitted, agent, owner, change)
    text = " ".join(case_page(as_agent, submitted).one("main").text.split())
    assert words in text
    assert f", {words}" not in text, "nothing is said before it"
