"""Carrying an application over in Chromium: with script, without, and narrow."""

import pytest

from formation_portal.applications import saving
from formation_portal.applications.drafts import open_draft
from formation_portal.applications.models import Application
from formation_portal.gateway.catalog import catalog
from tests.journeys.barriers import barriers
from tests.journeys.conftest import OpenTab, new_user
from tests.needed import has_chromium, needed

pytestmark = [
    pytest.mark.long,
    pytest.mark.django_db(transaction=True, databases=["default", "service"]),
    pytest.mark.browser,
    needed("Chromium", has_chromium()),
]


@pytest.mark.parametrize(("has_script", "width"), [(True, 1280), (False, 1280), (True, 320)])
def test_one_sees_what_fits_and_then_starts_there(has_script: bool, width: int, open_tab: OpenTab) -> None:
    owner = new_user()
    product = catalog().find("bvi-limited-company")
    assert product is not None
    assert product.item is not None
    draft = open_draft(saving.start(owner=owner, product=product.item))
    saving.add_party(draft, "person", ["director"], {"person.first_name": "Ada", "person.last_name": "King"}, by=owner)

    browser = open_tab(owner, has_script=has_script, width=width)
    tab = browser.tab
    tab.goto(f"{browser.base}/applications/{draft.application.reference}/")
    tab.get_by_role("link", name="Carry the answers over").click()
    tab.get_by_label("Which product?").select_option("seychelles-ibc")
    tab.get_by_role("button", name="See what fits").click()
    tab.get_by_text("Ada King: ").first.click()
    assert tab.get_by_role("heading", name="What fits").is_visible()
    if has_script:
        assert list(barriers(tab)) == []
    assert Application.objects.filter(owner=owner).count() == 1

    tab.get_by_role("button", name="Start with what fits").click()
    tab.wait_for_url(lambda url: draft.application.reference not in url)
    started = Application.objects.filter(owner=owner).exclude(pk=draft.application.pk).get()
    assert started.reference in tab.url
    assert [row.label for row in open_draft(started).parties] == ["Ada King"]
