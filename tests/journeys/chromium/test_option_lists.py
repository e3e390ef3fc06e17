"""Lists that grow in place, and options that exclude the others, in Chromium, with and without script."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, expect
from playwright.sync_api import Page as Tab

from formation_portal.applications import services
from formation_portal.applications.draft import open_draft
from formation_portal.applications.models import Application
from formation_portal.contract.fields.iso_codes import COUNTRIES
from tests import factories
from tests.journeys.conftest import OpenTab, new_user

NONE = "None of these"
FIELDS = (
    factories.field("uses", "multi_select", options=["Banking", "Shipping", NONE], exclusive_options=[NONE]),
    factories.field("places", "multi_select"),
    factories.field("citizens", "nationality"),
    factories.field("remark"),
)


@pytest.fixture
def application(site: str) -> Application:
    """A company that is asked for what it does, and where, and who is a citizen of what."""
    fields = [one | ({"options": list(COUNTRIES)} if one["key"] == "places" else {}) for one in FIELDS]
    section = {"scope": "entity", "title": "Odd", "fields": fields}
    return services.start(
        owner=new_user(), product=factories.product(schema={**factories.SCHEMA, "sections": [section]})
    )


def opened(open_tab: OpenTab, application: Application, *, has_script: bool = True) -> Tab:
    browser = open_tab(application.owner, has_script=has_script)
    browser.get(f"/applications/{application.reference}/sections/odd/")
    return browser.tab


def answer(application: Application, key: str) -> Any:
    return open_draft(application).entity_raw.get(f"xy.{key}")


def box(tab: Tab, label: str) -> Locator:
    return tab.get_by_label(label, exact=True)


def save(tab: Tab) -> None:
    with tab.expect_navigation():
        tab.get_by_role("button", name="Save and come back later").click()


def test_countries_and_nationalities_are_added_in_place(open_tab: OpenTab, application: Application) -> None:
    tab = opened(open_tab, application)
    box(tab, "Remark").fill("half a sentence")
    for country in ("Norway", "Chile"):
        tab.get_by_label("Add a country").select_option(label=country)
        tab.get_by_role("button", name=re.compile("^Add to")).press("Enter")
        expect(box(tab, country)).to_be_checked()
        expect(box(tab, country)).to_be_focused()
        assert country not in tab.get_by_label("Add a country").inner_text().split("\n")
    tab.get_by_label("Citizens").select_option("NO")
    tab.locator("summary", has_text="More than one nationality").click()
    more = tab.get_by_label("Another nationality", exact=True)
    more.last.select_option("IN")
    tab.get_by_role("button", name=re.compile("^Add another nationality")).click()
    expect(more).to_have_count(2)
    expect(more.last).to_be_focused()
    more.last.select_option("CL")
    expect(box(tab, "Remark")).to_have_value("half a sentence")
    save(tab)
    assert sorted(answer(application, "places")) == ["CL", "NO"]
    assert answer(application, "citizens") == ["NO", "IN", "CL"]


def test_without_script_a_button_adds_and_two_that_exclude_each_other_are_asked_about(
    open_tab: OpenTab, application: Application
) -> None:
    tab = opened(open_tab, application, has_script=False)
    address = tab.url
    tab.get_by_label("Add a country").select_option(label="Norway")
    with tab.expect_navigation():
        tab.get_by_role("button", name=re.compile("^Add to")).click()
    expect(box(tab, "Norway")).to_be_checked()
    for label in ("Banking", NONE):
        box(tab, label).check()
    save(tab)
    expect(tab.locator(".error-summary")).to_contain_text(f"Untick “{NONE}” or the other answers to “Uses”")
    expect(box(tab, "Banking")).to_be_checked()
    box(tab, NONE).uncheck()
    save(tab)
    assert (answer(application, "uses"), answer(application, "places")) == (["Banking"], ["NO"])
    # What is ticked beside an earlier answer counts alone.
    tab.goto(address)
    box(tab, NONE).check()
    save(tab)
    assert answer(application, "uses") == [NONE]


def test_an_option_that_excludes_the_others_clears_them_and_they_clear_it(
    open_tab: OpenTab, application: Application
) -> None:
    tab = opened(open_tab, application)
    box(tab, "Banking").check()
    box(tab, "Shipping").check()
    box(tab, NONE).check()
    expect(box(tab, "Banking")).not_to_be_checked()
    expect(box(tab, "Shipping")).not_to_be_checked()
    expect(tab.locator("#announcer")).to_have_text("The other answers are cleared.")
    box(tab, "Shipping").check()
    expect(box(tab, NONE)).not_to_be_checked()
    save(tab)
    assert answer(application, "uses") == ["Shipping"]
