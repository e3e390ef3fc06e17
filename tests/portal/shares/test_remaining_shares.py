"""What is left of a class and what is given beyond it, where something says how many shares there are."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.contract import canonical
from formation_portal.portal.shares.grid import allocation_sentences
from formation_portal.ui.allocation import Allocation
from tests import factories
from tests.markup import Markup
from tests.portal.pages import page_at, root, sound
from tests.portal.share_limits import AT_MOST, hold, limited, with_section
from tests.portal.shares.test_shares import cell, page_of, save

pytestmark = pytest.mark.django_db(databases=["default", "service"])


@pytest.fixture
def duo(owner: Any) -> Draft:
    """Ada and Kestrel."""
    return limited(owner)


def rest(page: Markup, draft: Draft, share_class: int) -> str:
    return page.one("span", id=f"rest-{draft.share_classes[share_class].token}").text


def over_issued(draft: Draft) -> list[str]:
    return [need.text for need in open_draft(draft.application).needs if need.code == "over_issued"]


def test_what_is_left_is_said_at_the_total_and_above(as_owner: Client, duo: Draft, owner: Any) -> None:
    hold(duo, owner, ("6,000",))
    page = page_of(as_owner, duo.application)
    assert rest(page, duo, 0) == "4,000 of 10,000 not allocated"
    assert rest(page, duo, 1) == ""
    assert page.one("p", id="shares-lead").text == "6,000 shares allocated. 4,000 Ordinary shares not allocated."
    picture = page.one("svg", role="img").attributes["aria-label"]
    assert picture == "Ordinary: Ada Lovelace 60%, 40% not allocated"


def test_too_many_together_are_an_error_at_the_total(as_owner: Client, duo: Draft) -> None:
    cells = {cell(duo, 0, 0): "6,000", cell(duo, 1, 0): "4,001", cell(duo, 1, 1): "7"}
    page = sound(save(as_owner, duo, cells), 422)
    assert rest(page, duo, 0) == "Error: 1 more than the 10,000 available"
    summary = page.all("a", href=f"#rest-{duo.share_classes[0].token}")
    assert summary[0].text == "Ordinary: 1 more than the 10,000 available"
    assert typed_holdings(duo) == [["6,000", ""], ["4,001", "7"]]


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("1.5", "Enter a whole number of “Ordinary” shares of Kestrel B.V."),
        ("10,001", "“Ordinary” shares of Kestrel B.V.: enter 10,000 or fewer"),
    ],
)
def test_a_bad_number_is_refused_at_its_cell_and_the_rest_is_kept(
    as_owner: Client, duo: Draft, typed: str, words: str
) -> None:
    name = cell(duo, 1, 0)
    page = sound(save(as_owner, duo, {name: typed, cell(duo, 0, 0): "50", cell(duo, 0, 1): "60"}), 422)
    control = page.one("input", id=name)
    assert (control.attributes["value"], control.attributes["aria-invalid"]) == (typed, "true")
    assert page.one("p", id=f"{name}-error").text == f"Error: {words}"
    assert page.one("h2", id="problem").text == "There is a problem"
    assert typed_holdings(duo) == [["50", "60"], [typed, ""]]
    assert open_draft(duo.application).needs_of_section("share-classes")


def test_what_is_too_many_stands_in_the_way_of_submitting_and_leads_back(
    as_owner: Client, duo: Draft, owner: Any
) -> None:
    hold(duo, owner, ("6,000",), ("4,001",))
    words = "Reduce “Ordinary” by 1 share, to the 10,000 available"
    assert over_issued(duo) == [words]
    page = page_at(as_owner, f"{root(duo)}check/")
    [link] = [link.attributes["href"] for link in page.all("a") if words in link.text]
    assert link.startswith(f"{root(duo)}shares/")


@pytest.mark.parametrize(
    ("held", "left"),
    [
        ("12 12 12 12 12", []),
        ("11 11 12 12 11", ["1 A share not allocated.", "1 B share not allocated.", "1 E share not allocated."]),
        ("11 11 10 12 11", ["5 shares not allocated in 4 share classes: A, B, C and 1 more."]),
        ("11 11 11 11 11", ["5 shares not allocated in 5 share classes: A, B, C and 2 more."]),
    ],
)
def test_shares_that_are_left_of_many_classes_are_counted_in_one_sentence(
    owner: Any, held: str, left: list[str]
) -> None:
    draft = factories.new_draft(owner, schema=with_section("share_structure", fields=[AT_MOST]))
    services.add_party(draft, "person", ["shareholder"], factories.ADA, by=owner)
    for name in "ABCDE":
        answers = factories.ORDINARY | {"share_class.name": name, canonical.CLASS_SHARES: "12"}
        services.add_share_class(draft, answers, by=owner)
    hold(draft, owner, tuple(held.split()))
    assert list(allocation_sentences(Allocation(draft)))[1:] == left


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
    factories.save_section(draft, "the-company", {canonical.ENTITY_SHARES: "100"}, by=owner)
    hold(draft, owner, ("60", "10"))
    lead = page_of(as_owner, draft.application).one("p", id="shares-lead").text
    assert lead == "70 shares allocated. 30 shares not allocated."
    hold(draft, owner, ("60", "41"))
    assert over_issued(draft) == ["Reduce all share classes together by 1 share, to the 100 available"]


@pytest.fixture
def trio(duo: Draft, owner: Any) -> Draft:
    """Ada, Kestrel and Ben."""
    services.add_party(duo, "person", ["shareholder"], {"person.first_name": "Ben"}, by=owner)
    return duo


def split(client: Client, draft: Draft, share_class: int, cells: dict[str, str] | None = None) -> str:
    """Press the button of a class; what the page then says."""
    post = {"split": draft.share_classes[share_class].token, **(cells or {})}
    response = save(client, draft, post, follow=True)
    assert response.redirect_chain
    return sound(response).one("div", id="messages").text


def typed_holdings(draft: Draft) -> list[list[str]]:
    now = open_draft(draft.application)
    numbers = now.typed_holdings()
    return [[numbers.get((party.token, row.token), "") for row in now.share_classes] for party in now.parties]


def test_a_class_that_nobody_holds_yet_is_split_whole_among_all(as_owner: Client, trio: Draft) -> None:
    message = split(as_owner, trio, 0)
    assert typed_holdings(trio) == [["3,334", ""], ["3,333", ""], ["3,333", ""]]
    words = "10,000 Ordinary shares split between 3 shareholders: 3,333 each, and 1 more for Ada Lovelace."
    assert words in message


def test_what_is_given_is_split_among_those_who_hold_some(as_owner: Client, trio: Draft) -> None:
    message = split(as_owner, trio, 1, {cell(trio, 1, 1): "900", cell(trio, 2, 1): "101"})
    assert typed_holdings(trio) == [["", ""], ["", "501"], ["", "500"]]
    assert "1,001 Preferred shares split between 2 shareholders: 500 each, and 1 more for Kestrel B.V." in message


def test_what_was_typed_elsewhere_is_kept(as_owner: Client, trio: Draft, owner: Any) -> None:
    hold(trio, owner, ("1", "2"))
    split(as_owner, trio, 0, {cell(trio, 0, 0): "30", cell(trio, 1, 1): "lots", cell(trio, 2, 1): "7"})
    assert typed_holdings(trio) == [["10", "2"], ["10", "lots"], ["10", "7"]]


@pytest.mark.parametrize("number", ["", "1.5"])
def test_what_cannot_be_added_up_is_left_alone_and_said(as_owner: Client, trio: Draft, number: str) -> None:
    message = split(as_owner, trio, 1, {cell(trio, 0, 1): number})
    assert typed_holdings(trio)[0][1] == number
    assert "Preferred shares" in message
    assert ("before you split" in message) == (number == "1.5")


def test_a_class_of_somewhere_else_is_no_class(as_owner: Client, trio: Draft, owner: Any) -> None:
    other = limited(owner)
    save(as_owner, trio, {"split": other.share_classes[0].token, cell(trio, 0, 0): "5"})
    assert typed_holdings(trio)[0] == ["5", ""]


def test_a_split_of_what_somebody_else_has_changed_asks_first(as_owner: Client, trio: Draft, owner: Any) -> None:
    old = trio.version("share-classes")
    hold(trio, owner, ("8",))
    post = {"version": str(old), cell(trio, 0, 0): "4", "split": trio.share_classes[0].token}
    assert as_owner.post(f"{root(trio)}shares/", post).status_code == 409
    assert typed_holdings(trio)[0] == ["8", ""]


def test_a_change_that_script_posts_splits_nothing_whatever_it_carries(as_owner: Client, trio: Draft) -> None:
    cells = {cell(trio, 0, 0): "60", cell(trio, 1, 0): "40"}
    save(as_owner, trio, cells | {"split": trio.share_classes[0].token}, HTTP_HX_REQUEST="true")
    assert typed_holdings(trio) == [["60", ""], ["40", ""], ["", ""]]
