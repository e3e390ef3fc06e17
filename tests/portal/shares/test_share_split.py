"""Splitting a class equally: the sums, what is said, and that nothing else on the page is lost."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from tests.markup import Markup
from tests.portal.share_limits import hold, limited
from tests.portal.shares.test_shares import cell, save

pytestmark = pytest.mark.django_db(databases=["default", "service"])

BEN = {"person.first_name": "Ben", "person.last_name": "Okri", "person.email": "ben@example.com"}


@pytest.fixture
def trio(owner: Any) -> Draft:
    """Ada, Kestrel and Ben."""
    draft = limited(owner)
    services.add_party(draft, "person", ["shareholder"], BEN, by=owner)
    return draft


def split(client: Client, draft: Draft, share_class: int, cells: dict[str, str] | None = None) -> str:
    """Press the button of a class; what the page then says."""
    post = {"split": draft.share_classes[share_class].token, **(cells or {})}
    response = save(client, draft, post, follow=True)
    page = Markup(response.content.decode())
    assert (response.redirect_chain[-1][1], page.faults) == (302, [])
    return " ".join(one.text for one in page.all("div") if "message" in one.attributes.get("class", "").split())


def typed(draft: Draft) -> list[list[str]]:
    now = open_draft(draft.application)
    owners_text = now.typed_holdings()
    return [[owners_text.get((party.token, one.token), "") for one in now.share_classes] for party in now.parties]


def test_a_class_that_nobody_holds_yet_is_split_whole_among_all(as_owner: Client, trio: Draft) -> None:
    owners_text = split(as_owner, trio, 0)
    assert typed(trio) == [["3,334", ""], ["3,333", ""], ["3,333", ""]]
    assert (
        "10,000 Ordinary shares split between 3 shareholders: 3,333 each, and 1 more for Ada Lovelace." in owners_text
    )


def test_what_is_given_is_split_among_those_who_hold_some(as_owner: Client, trio: Draft) -> None:
    owners_text = split(as_owner, trio, 1, {cell(trio, 1, 1): "900", cell(trio, 2, 1): "101"})
    assert typed(trio) == [["", ""], ["", "501"], ["", "500"]]
    assert "1,001 Preferred shares split between 2 shareholders: 500 each, and 1 more for Kestrel B.V." in owners_text


def test_what_was_typed_elsewhere_is_kept(as_owner: Client, trio: Draft, owner: Any) -> None:
    hold(trio, owner, ("1", "2"))
    split(as_owner, trio, 0, {cell(trio, 0, 0): "30", cell(trio, 1, 1): "lots", cell(trio, 2, 1): "7"})
    assert typed(trio) == [["10", "2"], ["10", "lots"], ["10", "7"]]


def test_more_than_the_class_has_is_brought_down_to_it(as_owner: Client, trio: Draft) -> None:
    split(as_owner, trio, 0, {cell(trio, 0, 0): "9,000", cell(trio, 1, 0): "9,000"})
    assert typed(trio) == [["5,000", ""], ["5,000", ""], ["", ""]]


@pytest.mark.parametrize("number", ["", "1.5"])
def test_what_cannot_be_added_up_is_left_alone_and_said(as_owner: Client, trio: Draft, number: str) -> None:
    owners_text = split(as_owner, trio, 1, {cell(trio, 0, 1): number})
    assert typed(trio)[0][1] == number
    assert "Preferred shares" in owners_text
    assert ("before you split" in owners_text) == (number in ("lots", "1.5"))


def test_a_class_of_somewhere_else_is_no_class(as_owner: Client, trio: Draft, owner: Any) -> None:
    other = limited(owner)
    save(as_owner, trio, {"split": other.share_classes[0].token, cell(trio, 0, 0): "5"})
    assert typed(trio)[0] == ["5", ""]


def test_a_split_of_what_somebody_else_has_changed_asks_first(as_owner: Client, trio: Draft, owner: Any) -> None:
    old = trio.version("share-classes")
    hold(trio, owner, ("8",))
    post = {"version": str(old), cell(trio, 0, 0): "4", "split": trio.share_classes[0].token}
    assert as_owner.post(f"/applications/{trio.application.reference}/shares/", post).status_code == 409
    assert typed(trio)[0] == ["8", ""]


def test_after_submitting_nothing_is_split(as_owner: Client, submitted: Draft) -> None:
    post = {"split": submitted.share_classes[0].token}
    assert save(as_owner, submitted, post).status_code == 409
    assert typed(submitted) == [["10,000"]]


def test_a_change_that_script_posts_splits_nothing_whatever_it_carries(as_owner: Client, trio: Draft) -> None:
    cells = {cell(trio, 0, 0): "60", cell(trio, 1, 0): "40"}
    save(as_owner, trio, cells | {"split": trio.share_classes[0].token}, HTTP_HX_REQUEST="true")
    assert typed(trio) == [["60", ""], ["40", ""], ["", ""]]
