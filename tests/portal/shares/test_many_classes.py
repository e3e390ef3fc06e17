"""Where shares of many classes are left, one sentence counts them and names the first."""

from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.contract import canonical
from formation_portal.portal.shares.grid import allocation_sentences
from formation_portal.ui.allocation import Allocation
from tests import factories
from tests.portal.share_limits import AT_MOST, hold, with_section

pytestmark = pytest.mark.django_db(databases=["default", "service"])


@pytest.mark.parametrize(
    ("held", "left"),
    [
        ("12 12 12 12 12", []),
        ("11 11 12 12 11", ["1 A share not allocated.", "1 B share not allocated.", "1 E share not allocated."]),
        ("11 11 10 12 11", ["5 shares not allocated in 4 share classes: A, B, C and 1 more."]),
        ("11 11 11 11 11", ["5 shares not allocated in 5 share classes: A, B, C and 2 more."]),
    ],
)
def test_a_class_with_one_share_left_counts_as_any_other(owner: Any, held: str, left: list[str]) -> None:
    draft = factories.new_draft(owner, schema=with_section("share_structure", fields=[AT_MOST]))
    services.add_party(draft, "person", ["shareholder"], factories.ADA, by=owner)
    for name in "ABCDE":
        answers = factories.ORDINARY | {"share_class.name": name, canonical.CLASS_SHARES: "12"}
        services.add_share_class(draft, answers, by=owner)
    hold(draft, owner, tuple(held.split()))
    assert list(allocation_sentences(Allocation(draft)))[1:] == left
