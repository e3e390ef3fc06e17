"""What is left of a class and what is given beyond it, where something says how many shares there are."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.contract import canonical
from tests import factories
from tests.markup import Markup
from tests.portal.pages import sound
from tests.portal.share_limits import hold, limited, with_section
from tests.portal.shares.test_shares import cell, page_of, save

pytestmark = pytest.mark.django_db(databases=["default", "service"])


@pytest.fixture
def draft(owner: Any) -> Draft:
    return limited(owner)


def rest(page: Markup, draft: Draft, share_class: int) -> str:
    return page.one("span", id=f"rest-{draft.share_classes[share_class].token}").text


def over_issued(draft: Draft) -> list[str]:
    return [need.text for need in open_draft(draft.application).needs if need.code == "over_issued"]


def test_what_is_left_is_said_at_the_total_and_above(as_owner: Client, draft: Draft, owner: Any) -> None:
    hold(draft, owner, ("6,000",))
    page = page_of(as_owner, draft.application)
    assert rest(page, draft, 0) == "4,000 of 10,000 not allocated"
    assert rest(page, draft, 1) == ""
    lead = "6,000 shares allocated. 4,000 Ordinary shares not allocated."
    assert page.one("p", id="shares-lead").text == lead
    picture = page.one("svg", role="img").attributes["aria-label"]
    assert picture == "Ordinary: Ada Lovelace 60%, 40% not allocated"


def test_too_many_together_are_an_error_at_the_total(as_owner: Client, draft: Draft) -> None:
    cells = {cell(draft, 0, 0): "6,000", cell(draft, 1, 0): "4,001", cell(draft, 1, 1): "7"}
    page = sound(save(as_owner, draft, cells), 422)
    assert rest(page, draft, 0) == "Error: 1 more than the 10,000 available"
    token = draft.share_classes[0].token
    summary = [one.text for one in page.all("a", href=f"#rest-{token}")]
    assert summary[0] == "Ordinary: 1 more than the 10,000 available"
    assert set(open_draft(draft.application).typed_holdings().values()) == {"6,000", "4,001", "7"}
    assert over_issued(draft) == ["Reduce “Ordinary” by 1 share, to the 10,000 available"]


@pytest.mark.parametrize(
    ("typed", "owners_text"),
    [
        ("1.5", "Enter a whole number of “Ordinary” shares of Kestrel B.V."),
        ("-5", "Enter the number of “Ordinary” shares of Kestrel B.V. as zero or more"),
        ("10,001", "“Ordinary” shares of Kestrel B.V.: enter 10,000 or fewer"),
    ],
)
def test_a_bad_number_is_refused_at_its_cell_and_the_rest_is_kept(
    as_owner: Client, draft: Draft, typed: str, owners_text: str
) -> None:
    name = cell(draft, 1, 0)
    page = sound(save(as_owner, draft, {name: typed, cell(draft, 0, 0): "50", cell(draft, 0, 1): "60"}), 422)
    control = page.one("input", id=name)
    assert (control.attributes["value"], control.attributes["aria-invalid"]) == (typed, "true")
    assert page.one("p", id=f"{name}-error").text == f"Error: {owners_text}"
    assert page.one("h2", id="problem").text == "There is a problem"
    assert set(open_draft(draft.application).typed_holdings().values()) == {typed, "50", "60"}
    assert open_draft(draft.application).needs_of_section("share-classes")


def test_what_is_too_many_stands_in_the_way_of_submitting_and_leads_back(
    as_owner: Client, draft: Draft, owner: Any
) -> None:
    hold(draft, owner, ("6,000",), ("4,001",))
    page = Markup(as_owner.get(f"/applications/{draft.application.reference}/check/").content.decode())
    words = "Reduce “Ordinary” by 1 share, to the 10,000 available"
    links = [one.attributes["href"] for one in page.all("a") if words in one.text]
    assert len(links) == 1
    assert links[0].startswith(f"/applications/{draft.application.reference}/shares/")


@pytest.mark.parametrize("at_most", ["", "0", "2.5"])
def test_nothing_is_invented_where_the_class_gives_no_number(as_owner: Client, owner: Any, at_most: str) -> None:
    draft = limited(owner, at_most=at_most)
    hold(draft, owner, ("999,999",))
    page = page_of(as_owner, draft.application)
    assert (rest(page, draft, 0), over_issued(draft)) == ("", [])
    assert page.one("p", id="shares-lead").text == "999,999 shares allocated."


def test_a_number_for_all_classes_together_counts_too(as_owner: Client, owner: Any) -> None:
    issued = factories.field("issued", "number", canonical_field=canonical.ENTITY_SHARES)
    draft = limited(owner, schema=with_section("entity", fields=[issued]))
    section = draft.schema.entity_sections[0]
    services.save_section(
        draft, section, {canonical.ENTITY_SHARES: "100"}, version=draft.version(section.key), by=owner
    )
    hold(draft, owner, ("60", "10"))
    lead = page_of(as_owner, draft.application).one("p", id="shares-lead").text
    assert lead == "70 shares allocated. 30 shares not allocated."
    hold(draft, owner, ("60", "41"))
    assert over_issued(draft) == ["Reduce all share classes together by 1 share, to the 100 available"]
