"""The entity's name as a register shows it: with the ending that goes with it, once."""

from typing import Any

import pytest

from formation_portal.contract.canonical import ENTITY_NAME, ENTITY_NAME_ENDING, entity_name


@pytest.mark.parametrize(
    ("name", "ending", "shown"),
    [
        (" Larkfield Holdings ", "Limited", "Larkfield Holdings Limited"),
        ("Larkfield Holdings LIMITED", "Limited", "Larkfield Holdings LIMITED"),
        ("Unlimited", "Limited", "Unlimited Limited"),
        ("Larkfield Holdings", "", "Larkfield Holdings"),
        ("Larkfield Holdings", None, "Larkfield Holdings"),
        ("", "Limited", ""),
        (None, "Limited", ""),
        (["Larkfield"], "Limited", ""),
    ],
)
def test_a_name_is_shown_with_its_ending_once(name: Any, ending: Any, shown: str) -> None:
    assert entity_name({ENTITY_NAME: name, ENTITY_NAME_ENDING: ending}) == shown
