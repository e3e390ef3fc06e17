"""The grid of who holds what, what follows from its numbers, and the classes of shares."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application
from formation_portal.applications.parties import ShareClassRow
from tests import factories
from tests.markup import Markup
from tests.portal.pages import page_at, root, sound
from tests.portal.share_limits import with_section

pytestmark = pytest.mark.django_db(databases=["default", "service"])

PREFERRED = factories.ORDINARY | {
    "share_class.name": "Preferred",
    "share_class.par_value": "0.50",
    "share_class.voting_rights": "false",
}


@pytest.fixture
def with_holdings(complete: Draft, owner: Any) -> Draft:
    """Ada and Kestrel, ordinary and preferred shares; Ada holds 10,000 ordinary ones."""
    kestrel = {"corporate.name": "Kestrel B.V."}
    services.add_party(complete, "corporate", ["shareholder"], kestrel, by=owner, token="kestrel")
    services.add_share_class(complete, PREFERRED, by=owner, token="preferred")
    return complete


def url(application: Application) -> str:
    return f"{root(application)}shares/"


def cell(draft: Draft, party: int, share_class: int) -> str:
    return f"holding:{draft.parties[party].token}:{draft.share_classes[share_class].token}"


def page_of(client: Client, application: Application) -> Markup:
    return page_at(client, url(application))


def save(client: Client, draft: Draft, cells: dict[str, str], **more: Any) -> Any:
    return client.post(url(draft.application), {"version": str(draft.version("share-classes")), **cells}, **more)


def test_sums_and_parts_follow_from_the_numbers(as_owner: Client, with_holdings: Draft) -> None:
    numbers = {
        "holding:ada:ordinary": "10,000",
        "holding:kestrel:ordinary": "5000",
        "holding:kestrel:preferred": "5 000",
    }
    assert save(as_owner, with_holdings, numbers).status_code == 302
    page = page_of(as_owner, with_holdings.application)
    expected = {
        "given-ordinary": "15,000",
        "given-preferred": "5,000",
        "shares-of-ada": "50%",
        "votes-of-ada": "66.67%",
        "votes-of-kestrel": "33.33%",
        "paid-preferred": "USD\u00a02,500.00",
        "paid-total": "USD\u00a017,500.00",
    }
    assert {name: page.one("span", id=name).text for name in expected} == expected
    assert page.one("p", id="shares-lead").text == "20,000 shares allocated."


def test_saving_goes_on_and_updating_stays(as_owner: Client, with_holdings: Draft, owner: Any) -> None:
    assert save(as_owner, with_holdings, {})["Location"].endswith("/check/"), "no document is missing"
    services.add_party(with_holdings, "person", ["director"], factories.ADA, by=owner)
    assert save(as_owner, with_holdings, {})["Location"].endswith("/documents/")
    assert save(as_owner, with_holdings, {"update": "1"})["Location"] == url(with_holdings.application)


def test_a_change_brings_totals_and_never_a_cell(as_owner: Client, with_holdings: Draft) -> None:
    response = save(as_owner, with_holdings, {cell(with_holdings, 1, 0): "10000"}, HTTP_HX_REQUEST="true")
    page = sound(response)
    assert page.controls == []
    assert page.one("span", id=f"given-{with_holdings.share_classes[0].token}").text == "20,000"
    assert page.one("p", id="announcer").text == "20,000 shares allocated."


def test_a_stale_save_shows_both_numbers(as_owner: Client, with_holdings: Draft, owner: Any) -> None:
    name = cell(with_holdings, 0, 0)
    old = with_holdings.version("share-classes")
    services.save_holdings(with_holdings, {("ada", "ordinary"): "1"}, by=owner)
    page = sound(as_owner.post(url(with_holdings.application), {"version": str(old), name: "2"}), 409)
    assert page.one("legend").text == "Ordinary, Ada Lovelace"
    post = {"version": str(with_holdings.version("share-classes")), name: "2", f"keep:{name}": "theirs"}
    as_owner.post(url(with_holdings.application), post)
    assert set(open_draft(with_holdings.application).typed_holdings().values()) == {"1"}


def test_a_product_without_share_classes_has_no_such_page(as_owner: Client, owner: Any) -> None:
    draft = factories.new_draft(owner, schema=factories.SCHEMA | {"sections": factories.SCHEMA["sections"][:2]})
    for page in ("shares/", "shares/classes/new/"):
        assert as_owner.get(root(draft) + page).status_code == 404


def test_what_is_typed_goes_along_to_another_part_of_a_large_grid(
    as_owner: Client, with_holdings: Draft, owner: Any
) -> None:
    for number in range(60):
        services.add_party(with_holdings, "corporate", ["shareholder"], {"corporate.name": f"{number} B.V."}, by=owner)
    page = page_of(as_owner, with_holdings.application)
    (following,) = [one for one in page.all("button", name="page") if one.text == "Next"]
    assert not [one for one in page.all("a") if one.attributes.get("href") == "?page=2"]
    answer = save(as_owner, with_holdings, {cell(with_holdings, 1, 0): "7", "page": following.attributes["value"]})
    assert answer["Location"] == f"{url(with_holdings.application)}?page=2#who"
    there = Markup(as_owner.get(answer["Location"]).content.decode())
    assert there.one("input", id=cell(with_holdings, 61, 0))
    assert there.one("span", id=f"given-{with_holdings.share_classes[0].token}").text == "10,007"


def test_each_of_51_holders_has_a_row_on_one_of_two_pages(owner: Any, as_owner: Client) -> None:
    draft = factories.crowded_draft(owner)

    def typed(query: str) -> list[str]:
        page = Markup(as_owner.get(url(draft.application) + query).content.decode())
        # 1 + 2 + … + 51.
        assert page.one("span", id=f"given-{draft.share_classes[0].token}").text == "1,326"
        return [one.attributes["value"] for one in page.all("input") if one.attributes["name"].startswith("holding:")]

    assert typed("") == [str(number) for number in range(1, 51)]
    assert typed("?page=2") == ["51"]


ANSWERS = {f"q:{name.partition('.')[2]}": value for name, value in factories.ORDINARY.items()}


def class_url(application: Application, more: str = "new/") -> str:
    return f"/applications/{application.reference}/shares/classes/{more}"


def stored(application: Application) -> ShareClassRow:
    [row] = open_draft(application).share_classes
    return row


def class_page(client: Client, application: Application, more: str = "new/") -> Markup:
    return page_at(client, class_url(application, more))


def proposed(page: Markup) -> tuple[str, bool]:
    """The name, and whether both votes and dividends are a yes."""
    rights = [page.all("input", name=f"q:{name}", value="true")[0] for name in ("voting_rights", "dividend_rights")]
    return page.one("input", id="q:name").attributes.get("value", ""), all(
        "checked" in one.attributes for one in rights
    )


def test_a_first_class_is_proposed_and_kept_only_by_a_save(as_owner: Client, application: Application) -> None:
    page = class_page(as_owner, application)
    assert proposed(page) == ("Ordinary", True)
    needs = " ".join(one.text for one in page.all("li", class_="need"))
    assert "Name" not in needs
    assert "Currency" in needs
    assert open_draft(application).share_classes == ()
    as_owner.post(class_url(application), ANSWERS | {"q:name": "", "q:voting_rights": "false"})
    assert stored(application).raw["share_class.voting_rights"] == "false"
    assert proposed(class_page(as_owner, application, f"{stored(application).token}/")) == ("", False)
    assert proposed(class_page(as_owner, application)) == ("", False), "a second one starts empty"


def test_an_answer_of_a_new_class_that_opens_a_required_question_leads_to_it_once(as_owner: Client, owner: Any) -> None:
    without_dividends = {"field": "dividend_rights", "value": False}
    premium = factories.field("premium_each", "number", prefix="xy.share", depends_on=without_dividends)
    draft = factories.new_draft(owner, schema=with_section("share_structure", fields=[premium]))
    application = draft.application
    post = ANSWERS | {"version": "1", "q:dividend_rights": "false", "q:premium_each": ""}
    opened = as_owner.post(class_url(application), post)
    its_own = class_url(application, f"{stored(application).token}/")
    assert opened["Location"] == f"{its_own}#q:premium_each"
    assert "hidden" not in page_at(as_owner, its_own).one("div", id="region-q:premium_each").attributes
    again = as_owner.post(its_own, post | {"version": str(stored(application).version)})
    assert again["Location"] == f"/applications/{application.reference}/shares/"


def test_an_unreadable_answer_of_a_new_class_is_kept(as_owner: Client, application: Application) -> None:
    page = sound(as_owner.post(class_url(application), ANSWERS | {"q:par_value": "cheap"}), 422)
    assert page.one("input", name="q:par_value").attributes["value"] == "cheap"
    assert stored(application).raw["share_class.par_value"] == "cheap"
    token = page.one("input", name="token").attributes["value"]
    version = page.one("input", name="version").attributes["value"]
    as_owner.post(class_url(application), ANSWERS | {"token": token, "version": version})
    assert stored(application).raw["share_class.par_value"] == "1"


def test_a_stale_save_of_a_class_shows_both(as_owner: Client, complete: Draft, owner: Any) -> None:
    row = complete.share_classes[0]
    services.save_share_class(complete, row, {"share_class.name": "Common"}, version=row.version, by=owner)
    post = {"version": "1", "q:name": "Plain"}
    page = sound(as_owner.post(class_url(complete.application, "ordinary/"), post), 409)
    assert page.one("legend").text == "Name of the share class"
