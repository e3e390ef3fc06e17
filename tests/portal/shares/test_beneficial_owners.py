"""Who seems to be a beneficial owner: the sums in words, and the role in one press."""

import re
from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Change
from formation_portal.contract import canonical
from tests import factories
from tests.encrypted_rows import rows_with
from tests.markup import Markup
from tests.pdfs import read_pdf
from tests.portal.pages import page_at, root, sound
from tests.portal.share_limits import hold, limited
from tests.portal.shares.test_shares import cell, page_of, save

pytestmark = pytest.mark.django_db(databases=["default", "service"])

OWNERS = {"scope": f"role:{canonical.BENEFICIAL_OWNER}", "title": "Beneficial owners", "person_fields": []}


def with_owners(**more: Any) -> dict[str, Any]:
    return factories.SCHEMA | {"sections": [*factories.SCHEMA["sections"], OWNERS | more]}


@pytest.fixture
def trio(owner: Any) -> Draft:
    """Ada, Kestrel and Ben; two classes with votes."""
    draft = limited(owner, schema=with_owners())
    ben = {"person.first_name": "Ben", "person.last_name": "Okri"}
    services.add_party(draft, "person", ["shareholder"], ben, by=owner)
    return draft


def owners_text(page: Markup) -> str:
    return " ".join(page.one("div", id="shares-owners").text.split())


def url(draft: Draft, index: int) -> str:
    return f"{root(draft)}shares/owners/{draft.parties[index].token}/"


def roles(draft: Draft, index: int) -> tuple[str, ...]:
    return open_draft(draft.application).parties[index].roles


def offered(page: Markup) -> list[str]:
    return [" ".join(one.text.split()) for one in page.all("button") if "formaction" in one.attributes]


def test_who_reaches_the_threshold_is_suggested_with_the_sums(as_owner: Client, trio: Draft, owner: Any) -> None:
    hold(trio, owner, ("6,000",), ("3,001",), ("999",))
    page = page_of(as_owner, trio.application)
    words = owners_text(page)
    rule = "In the British Virgin Islands, anyone with 10% or more of the shares or votes counts as a beneficial owner."
    assert rule in words
    assert "Source: BVI Business Companies" in words
    assert "Ada Lovelace holds 6,000 of 10,000 shares (60%)." in words
    assert offered(page) == ["Make Ada Lovelace a beneficial owner"]
    assert "Ben Okri holds" not in words


def test_votes_count_as_shares_do(as_owner: Client, trio: Draft, owner: Any) -> None:
    plain = trio.share_classes[1]
    services.save_share_class(trio, plain, {"share_class.voting_rights": "false"}, version=plain.version, by=owner)
    hold(trio, owner, ("50", "9,000"), ("", ""), ("50", ""))
    assert "Ben Okri holds 50 of 9,100 shares (0.55%) and 50 of 100 votes (50%)." in owners_text(
        page_of(as_owner, trio.application)
    )


def test_of_a_company_the_page_says_that_its_owners_are_not_known(as_owner: Client, trio: Draft, owner: Any) -> None:
    hold(trio, owner, ("",), ("10,000",))
    page = page_of(as_owner, trio.application)
    assert "Nobody holds enough shares or votes." in owners_text(page)
    assert "Kestrel B.V. holds 100%. No owners added. Add owners" in owners_text(page)
    assert offered(page) == []


def test_one_press_adds_the_role_keeps_what_was_typed_and_a_second_press_changes_nothing(
    as_owner: Client, trio: Draft, owner: Any
) -> None:
    hold(trio, owner, ("6,000",))
    post = {"version": str(trio.version("share-classes")), cell(trio, 2, 1): "77", cell(trio, 1, 0): "lots"}
    response = as_owner.post(url(trio, 0), post, follow=True)
    page = Markup(response.content.decode())
    assert response.redirect_chain[0][0].endswith("/shares/")
    assert "Ada Lovelace is now a beneficial owner." in page.one("div", id="messages").text
    assert "Ada Lovelace is already a beneficial owner." in owners_text(page)
    as_owner.post(url(trio, 0), {"version": "0"})
    assert roles(trio, 0) == ("director", "shareholder", canonical.BENEFICIAL_OWNER)
    assert set(open_draft(trio.application).typed_holdings().values()) == {"6,000", "77", "lots"}
    assert len(rows_with(Change.objects, what="Changed the roles of Ada Lovelace")) == 1


def test_who_has_the_role_and_holds_less_keeps_it(as_owner: Client, trio: Draft, owner: Any) -> None:
    services.set_roles(trio, trio.parties[2], ["shareholder", canonical.BENEFICIAL_OWNER], by=owner)
    save(as_owner, trio, {cell(trio, 0, 0): "9,999", cell(trio, 2, 0): "1"})
    assert canonical.BENEFICIAL_OWNER in roles(trio, 2)


def test_a_company_cannot_be_given_the_role(as_owner: Client, trio: Draft) -> None:
    response = as_owner.post(url(trio, 1), {"version": "0"}, follow=True)
    assert "Kestrel B.V. can’t have that role." in response.content.decode()
    assert roles(trio, 1) == ("shareholder",)


def test_a_form_without_such_a_role_suggests_nobody(as_owner: Client, owner: Any) -> None:
    draft = limited(owner)
    hold(draft, owner, ("6,000",))
    assert owners_text(page_of(as_owner, draft.application)) == ""
    as_owner.post(url(draft, 0), {"version": "0"})
    assert roles(draft, 0) == ("director", "shareholder")


def test_nobody_but_the_owner_gives_it(
    as_other_customer: Client, as_nobody: Client, as_agent: Client, trio: Draft
) -> None:
    unknown = as_other_customer.post(f"{root(trio)}shares/owners/0000000000/")
    refused = as_other_customer.post(url(trio, 0))
    assert sound(refused, 404).one("main").text == sound(unknown, 404).one("main").text
    as_nobody.post(url(trio, 0))
    as_agent.post(url(trio, 0))
    assert roles(trio, 0) == ("director", "shareholder")


def percentages(text: str) -> set[str]:
    return set(re.findall(r"\d+(?:[.,]\d+)?(?=\s?%)", text))


def test_table_picture_tree_and_sums_say_the_same(as_owner: Client, trio: Draft, owner: Any) -> None:
    hold(trio, owner, ("7,096",), ("2,904",))
    for path in ("shares/", "check/"):
        page = page_at(as_owner, root(trio) + path)
        pictures = " ".join(picture.attributes.get("aria-label", "") for picture in page.all("svg", role="img"))
        # Nothing, all of it, and from which part on somebody counts there.
        assert percentages(f"{page.one('main').text} {pictures}") - {"0", "100", "10"} == {"70.96", "29.04"}
    assert percentages(read_pdf(as_owner.get(f"{root(trio)}record.pdf").content).text) == {"70.96", "29.04"}
