"""People: known ones take a role in one press, and removed ones are restored."""

from typing import Any

import pytest

from formation_portal.applications import services
from tests import factories
from tests.journeys.drafts import address_of, new_draft, reloaded
from tests.journeys.walkthroughs.conftest import OpenAs, by_keys_and_without_script
from tests.needed import has_chromium, needed

pytestmark = [pytest.mark.browser, needed("Chromium", has_chromium())]


@by_keys_and_without_script
def test_a_known_person_takes_a_role_in_one_press_is_removed_and_restored(open_as: OpenAs, site: str) -> None:
    other_application = new_draft()
    user: Any = other_application.application.owner
    services.add_party(other_application, "person", ["director"], factories.ADA, by=user)
    draft = new_draft(user)
    ida = open_as(user, f"{address_of(draft)}people/")
    ida.follow("Use Ada Lovelace as Directors")
    ida.expect_text("Ada Lovelace is now a director. We filled in 4 answers")
    ida.follow("Use Ada Lovelace as Shareholders")
    assert sorted(reloaded(draft).parties[0].roles) == ["director", "shareholder"]
    ida.follow("Remove Ada Lovelace")
    ida.expect_text("Also removed")
    ida.follow("Remove")
    assert reloaded(draft).parties == ()
    ida.follow("Restore Ada Lovelace")
    ida.expect_text("Ada Lovelace was restored")
    ida.visit_all_controls()
    assert reloaded(draft).parties[0].raw["person.email"] == "ada@example.com"
