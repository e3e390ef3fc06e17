"""Who owns the companies that hold shares: entered on a page of its own, counted through every step, never sent."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.export import export
from formation_portal.applications.models import Application, Change, Stake
from formation_portal.applications.ownership_stakes import typed_stakes
from formation_portal.contract import canonical
from formation_portal.contract.lifecycle import State
from formation_portal.desk.queue.queue_index import update_case
from formation_portal.relay.sync import desired_state
from tests import factories
from tests.encrypted_rows import rows_with
from tests.markup import Markup
from tests.pdfs import read_pdf, squeezed
from tests.portal.pages import page_at, people_page, people_url, query_counts, root, sound
from tests.portal.share_limits import hold, limited
from tests.portal.shares.test_beneficial_owners import offered, owners_text, with_owners
from tests.portal.shares.test_shares import page_of
from tests.portal.sharing.test_overtaking_posts import version_fields

pytestmark = pytest.mark.django_db(databases=["default", "service"])

JOOST = {"owner": "new:person", "first_name": "Joost", "last_name": "van der Meer", "part": "40%"}
KITE = {"owner": "new:corporate", "last_name": "Kite Holding", "part": "75%"}


@pytest.fixture
def duo(owner: Any) -> Draft:
    """Ada holds a quarter, Kestrel B.V. the rest, in a form that asks for beneficial owners."""
    draft = limited(owner, schema=with_owners())
    hold(draft, owner, ("2,500",), ("7,500",))
    return draft


def token_of(draft: Draft, label: str) -> str:
    return next(row.token for row in open_draft(draft.application).parties if row.label == label)


def url(draft: Draft, label: str = "Kestrel B.V.") -> str:
    return people_url(draft, f"{token_of(draft, label)}/owners/")


def post(client: Client, draft: Draft, typed: dict[str, str], label: str = "Kestrel B.V.", **more: Any) -> Any:
    address = url(draft, label)
    return client.post(address, version_fields(client, address) | typed, **more)


def stakes(draft: Draft) -> dict[tuple[str, str], str]:
    fresh = open_draft(draft.application)
    labels = {row.token: row.label for row in fresh.parties}
    return {(labels[of], labels[who]): typed for (of, who), typed in typed_stakes(fresh).items()}


def stake_of(draft: Draft, label: str) -> str:
    return f"stake:{token_of(draft, label)}"


def wrong_controls(page: Markup) -> dict[str, str]:
    """Return the value of each control that is marked as wrong, by its id."""
    return {
        control.attributes["id"]: control.attributes.get("value", "")
        for control in page.controls
        if control.attributes.get("aria-invalid")
    }


@pytest.fixture
def joost(as_owner: Client, duo: Draft) -> str:
    """The control of the part of Joost, who owns 40% of Kestrel B.V."""
    post(as_owner, duo, JOOST)
    return stake_of(duo, "Joost van der Meer")


def nodes(page: Markup) -> list[str]:
    return [" ".join(one.text.split()) for one in page.all("div", _class="node")]


def test_a_new_owner_is_somebody_without_a_role_who_is_never_sent(as_owner: Client, duo: Draft) -> None:
    assert post(as_owner, duo, JOOST)["Location"].endswith("/shares/")
    draft = open_draft(duo.application)
    joost = draft.parties[2]
    assert (joost.label, joost.roles, joost.kind) == ("Joost van der Meer", (), "person")
    assert stakes(duo) == {("Kestrel B.V.", "Joost van der Meer"): "40%"}
    assert joost.token not in {resource.subject for resource in desired_state(draft)}
    assert not any(need.party_id == joost.token for need in draft.needs)
    assert "No role needed" in people_page(as_owner, draft).one("li", id=f"party-{joost.token}").text


def test_a_part_can_be_changed_and_taken_away(as_owner: Client, duo: Draft, joost: str) -> None:
    for typed, expected in (("50%", ["50%"]), (" ", [])):
        post(as_owner, duo, {joost: typed})
        assert list(stakes(duo).values()) == expected
    assert len(rows_with(Change.objects, what="Changed who owns Kestrel B.V.")) == 3


@pytest.mark.usefixtures("joost")
def test_who_owns_a_company_that_holds_shares_counts_with_the_arithmetic(as_owner: Client, duo: Draft) -> None:
    page = page_of(as_owner, duo.application)
    assert "Joost van der Meer has 30% of the shares: 40% of Kestrel B.V., which holds 75%: 30%" in owners_text(page)
    assert "Make Joost van der Meer a beneficial owner" in offered(page)
    as_owner.post(f"{root(duo)}shares/owners/{token_of(duo, 'Joost van der Meer')}/", {"version": "0"})
    assert open_draft(duo.application).parties[2].roles == (canonical.BENEFICIAL_OWNER,)


def test_companies_that_own_each_other_are_said_to_and_counted_exactly(as_owner: Client, duo: Draft) -> None:
    post(as_owner, duo, KITE | {"part": "50%"})
    post(as_owner, duo, {"owner": f"party:{duo.parties[1].token}", "part": "50%"}, "Kite Holding")
    post(as_owner, duo, JOOST | {"part": "50%"}, "Kite Holding")
    page = page_of(as_owner, duo.application)
    assert "These companies own each other" in owners_text(page)
    # Half of Kestrel is Kite's, half of which is Kestrel's again: a quarter goes round, three become whole.
    assert "50% of Kite Holding, which holds 50%: 25%" in owners_text(page)


@pytest.mark.parametrize("typed", ["most of it", "120%"])
def test_a_part_that_cannot_be_read_is_kept_and_marked(as_owner: Client, duo: Draft, joost: str, typed: str) -> None:
    page = sound(post(as_owner, duo, {joost: typed}), 422)
    assert wrong_controls(page) == {joost: typed}
    assert list(stakes(duo).values()) == [typed]
    assert "Kestrel B.V., Joost van der Meer" in page.one("p", id=f"{joost}-error").text


@pytest.mark.parametrize(
    ("typed", "wrong"),
    [
        ({"part": "40%"}, "new-owner"),
        ({"owner": "new:person", "part": "40%"}, "new-first-name"),
        (JOOST | {"part": "lots"}, "new-part"),
        (JOOST | {"owner": "party:nobody"}, "new-owner"),
    ],
)
def test_an_owner_who_cannot_be_added_stays_in_the_form(
    as_owner: Client, duo: Draft, typed: dict[str, str], wrong: str
) -> None:
    page = sound(post(as_owner, duo, typed), 422)
    assert list(wrong_controls(page)) == [wrong]
    assert page.all("p", id=f"{wrong}-error")
    assert page.one("input", id="new-last-name").attributes["value"] == typed.get("last_name", "")
    assert len(open_draft(duo.application).parties) == 2


def test_an_owner_who_is_removed_meanwhile_is_gone(duo: Draft, owner: Any) -> None:
    kestrel, ada = duo.parties[1], duo.parties[0]
    other = open_draft(Application.objects.get(pk=duo.application.pk))
    services.remove_party(other, ada, by=owner)
    with pytest.raises(services.Gone):
        services.save_owners(duo, kestrel, {ada.token: "40%"}, by=owner)
    assert not Stake.objects.exists()


def test_two_windows_are_set_side_by_side(as_owner: Client, duo: Draft, joost: str) -> None:
    old = version_fields(as_owner, url(duo))
    post(as_owner, duo, {joost: "50%"})
    page = sound(as_owner.post(url(duo), old | {joost: "60%"} | KITE | {"part": "45%"}), 409)
    assert [legend.text for legend in page.all("legend")] == ["Joost van der Meer"]
    assert page.all("input", type="hidden", value="Kite Holding")
    # Only the part in conflict waits; the new owner is added.
    assert sorted(stakes(duo).values()) == ["45%", "50%"]


def test_a_copy_and_the_record_have_the_owners(as_owner: Client, duo: Draft, owner: Any) -> None:
    post(as_owner, duo, JOOST | {"part": "2/5"})
    draft = open_draft(duo.application)
    assert [(one["owner_label"], one["part"]) for one in export(draft)["stakes"]] == [("Joost van der Meer", "2/5")]
    assert stakes(open_draft(services.create_copy(draft, by=owner))) == {("Kestrel B.V.", "Joost van der Meer"): "2/5"}


def test_only_a_company_has_owners_and_only_where_shares_are_given(as_owner: Client, duo: Draft, owner: Any) -> None:
    assert as_owner.get(url(duo, "Ada Lovelace")).status_code == 404
    plain = factories.SCHEMA | {"sections": factories.SCHEMA["sections"][:-1]}
    other = factories.new_draft(owner, schema=plain)
    services.add_party(other, "corporate", ["shareholder"], {"corporate.name": "Kestrel B.V."}, by=owner)
    assert as_owner.get(url(other)).status_code == 404


def test_nobody_but_the_owner_sees_or_changes_it(
    as_other_customer: Client, as_nobody: Client, as_agent: Client, duo: Draft
) -> None:
    address = url(duo)
    unknown = as_other_customer.get(address.replace(duo.parties[1].token, "0000000000"))
    refused = as_other_customer.get(address)
    assert sound(refused, 404).one("main").text == sound(unknown, 404).one("main").text
    for client in (as_other_customer, as_nobody, as_agent):
        client.post(address, JOOST)
    assert not Stake.objects.exists()


def test_a_new_owner_who_exceeds_the_whole_is_refused_with_everything_that_was_typed(
    as_owner: Client, duo: Draft, joost: str
) -> None:
    page = sound(post(as_owner, duo, JOOST | {joost: "5/8", "first_name": "Mia", "part": "52.5%"}), 422)
    assert wrong_controls(page) == {joost: "5/8", "new-part": "52.5%"}
    assert page.one("input", id="new-first-name").attributes["value"] == "Mia"
    for control in (joost, "new-part"):
        assert "Correct the shares. They must not exceed 100%" in page.one("p", id=f"{control}-error").text
    assert "Not saved. Your answers are still on this page." in page.one("main").text
    assert stakes(duo) == {("Kestrel B.V.", "Joost van der Meer"): "40%"}
    assert len(open_draft(duo.application).parties) == 3


def test_changed_shares_that_exceed_the_whole_are_refused_and_kept_in_the_form(
    as_owner: Client, duo: Draft, joost: str
) -> None:
    post(as_owner, duo, KITE | {"part": "60%"})
    kite = stake_of(duo, "Kite Holding")
    page = sound(post(as_owner, duo, {joost: "41%", kite: "74%"}), 422)
    assert wrong_controls(page) == {joost: "41%", kite: "74%"}
    assert "The owners of Kestrel B.V. add up to 115%, which is more than 100%." in page.one("main").text
    assert list(stakes(duo).values()) == ["40%", "60%"]
    assert post(as_owner, duo, {joost: "41%", kite: "59%"}).status_code == 302
    assert list(stakes(duo).values()) == ["41%", "59%"]


@pytest.fixture
def exceeded(as_owner: Client, duo: Draft) -> Draft:
    """Return a draft from before the check: 55% and 60% of Kestrel B.V. have owners."""
    post(as_owner, duo, JOOST | {"part": "55%"})
    mia = services.add_party(duo, "person", [], {"person.last_name": "Mia"}, by=duo.application.owner)
    kestrel = duo.parties[1].model
    Stake.objects.create(application=duo.application, company=kestrel, owner=mia, typed="60%")
    return open_draft(duo.application)


def test_stored_shares_that_exceed_the_whole_are_never_scaled_and_stand_in_the_way_of_submitting(
    as_owner: Client, exceeded: Draft, owner: Any
) -> None:
    page = page_of(as_owner, exceeded.application)
    assert "The owners of Kestrel B.V. add up to 115%, which is more than 100%." in owners_text(page)
    assert "of the shares:" not in owners_text(page)
    assert nodes(page)[2:] == [
        "Kestrel B.V.Shareholder. Company75% of shares75% of votes",
        "Joost van der Meer55% of Kestrel B.V.",
        "Mia60% of Kestrel B.V.",
    ]
    words = "Kestrel B.V.: correct the shares. They must not exceed 100%"
    with pytest.raises(services.NotReady) as refusal:
        services.submit(exceeded, by=owner)
    assert words in [need.text for need in refusal.value.needs]
    check = page_at(as_owner, f"{root(exceeded)}check/")
    assert [link.text for link in check.all("a", href=f"{url(exceeded)}?next=check")] == [words]


@pytest.fixture
def behind(as_owner: Client, duo: Draft) -> Draft:
    """Joost owns a part of Kestrel B.V., Kite Holding most of it, and somebody a part of Kite that cannot be read."""
    post(as_owner, duo, JOOST | {"part": "10%"})
    post(as_owner, duo, KITE)
    post(as_owner, duo, JOOST | {"first_name": "Mia", "part": "50%"}, "Kite Holding")
    draft = open_draft(duo.application)
    kite, mia = (row for row in draft.parties if row.label in ("Kite Holding", "Mia van der Meer"))
    services.save_owners(draft, kite, {mia.token: "about half"}, by=duo.application.owner)
    return open_draft(duo.application)


def submit_unchecked(draft: Draft) -> None:
    """As the desk sees it, whatever else it lacks."""
    changes = {"state": State.SUBMITTED_FOR_REVIEW, "submitted_at": timezone.now()}
    Application.objects.filter(pk=draft.application.pk).update(**changes)
    update_case(open_draft(Application.objects.get(pk=draft.application.pk)))


def test_customers_and_agents_read_what_the_page_of_shares_says(
    as_owner: Client, as_agent: Client, behind: Draft
) -> None:
    check = f"{root(behind)}check/"
    expected = nodes(page_at(as_owner, f"{root(behind)}shares/"))
    assert expected[3:] == [
        "Joost van der Meer10% of Kestrel B.V. Below the threshold7.5% of shares7.5% of votes",
        "Kite Holding75% of Kestrel B.V. Company56.25% of shares56.25% of votes",
        "Mia van der Meer“about half” of Kite Holding, which we can’t read",
    ]
    assert nodes(page_at(as_owner, check)) == expected
    submit_unchecked(behind)
    for client, address in ((as_owner, check), (as_agent, f"/desk/{behind.application.reference}/")):
        page = page_at(client, address)
        assert nodes(page) == expected
        assert "15% of Kestrel B.V. has no known owner." in page.one("main").text
        assert not [one for one in page.all("a") if "who owns" in one.text], "nothing can be changed here"
    headings = " ".join(heading.text for heading in page_at(as_owner, check).all("h3"))
    assert "Kestrel B.V." in headings
    assert "Kite Holding" not in headings, "the tree says all that there is of it"


def test_the_record_on_paper_says_the_same(as_owner: Client, behind: Draft) -> None:
    submit_unchecked(behind)
    record = squeezed(read_pdf(as_owner.get(f"{root(behind)}record.pdf").content).text)
    for words in (
        "Ultimate ownership",
        "– Joost van der Meer",
        "10% of Kestrel B.V.",
        "– Kite Holding",
        "56.25%",
        "– – Mia van der Meer",
        "“about half” of Kite Holding, which we can’t read",
        "15% of Kestrel B.V. has no known owner.",
    ):
        assert squeezed(words) in record, words


def test_the_owners_of_a_company_that_holds_nothing_are_not_left_out(as_owner: Client, behind: Draft) -> None:
    services.save_holdings(behind, dict.fromkeys(behind.holdings, ""), by=behind.application.owner)
    assert nodes(page_at(as_owner, f"{root(behind)}check/"))[1:] == [
        "Kestrel B.V.Shareholder. Company",
        "Joost van der Meer10% of Kestrel B.V. Below the threshold",
        "Kite Holding75% of Kestrel B.V. Company",
        "Mia van der Meer“about half” of Kite Holding, which we can’t read",
    ]


def test_however_many_owners_there_are_they_cost_one_query(as_owner: Client, as_agent: Client, duo: Draft) -> None:
    def counts() -> list[int]:
        submit_unchecked(duo)
        pages = (f"{root(duo)}{page}" for page in ("check/", "record.json", "record.pdf"))
        return query_counts(as_owner, *pages) + query_counts(as_agent, f"/desk/{duo.application.reference}/")

    before = counts()
    Application.objects.filter(pk=duo.application.pk).update(state=State.DRAFT)
    above = "Kestrel B.V."
    for index in range(4):
        name = f"Kite {index}"
        post(as_owner, duo, KITE | {"last_name": name}, above)
        post(as_owner, duo, JOOST | {"first_name": f"Joost {index}", "part": "10%"}, above)
        above = name
    assert counts() == before
