"""Working on somebody's application: asked by e-mail, with a right that every page keeps to."""

from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.test import Client
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.access import Collaborator, Right
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.mail.models import Email
from tests import factories
from tests.invitations import mailbox
from tests.portal.pages import page_at, root

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def let_in(draft: Draft, person: Any, right: Right) -> Collaborator:
    now = timezone.now()
    given = {"user": person, "email": person.email, "right": right, "accepted_at": now, "expires_at": now}
    return Collaborator.objects.create(application=draft.application, asked_at=now, **given)


def ask(as_owner: Client, draft: Draft, *, right: str = "view", email: str = "stranger@example.com") -> Any:
    return as_owner.post(f"{root(draft)}access/", {"email": email, "right": right})


@pytest.fixture
def link(as_owner: Client, draft: Draft) -> str:
    """The link of an invitation to read an application."""
    ask(as_owner, draft)
    return mailbox.latest_link("collaboration")


def test_asked_by_email_somebody_says_yes_and_is_in(
    as_owner: Client, as_other_customer: Client, draft: Draft, owner: Any
) -> None:
    factories.save_section(draft, "the-company", factories.COMPANY, by=owner)
    assert ask(as_owner, draft, right="edit")["Location"] == f"{root(draft)}access/"
    assert "Invited" in page_at(as_owner, f"{root(draft)}access/").one("main").text
    assert as_other_customer.get(root(draft)).status_code == 404
    response = as_other_customer.get(mailbox.latest_link("collaboration"))
    assert response["Location"] == "/collaboration/"
    assert response["Referrer-Policy"] == "no-referrer"
    page = page_at(as_other_customer, "/collaboration/")
    assert "Larkfield Holdings" in page.one("main").text
    lead = "Ingrid Solheim invited you to edit this application. Only its owner can submit or share it."
    assert " ".join(page.one("p", class_="lead").text.split()) == lead
    assert as_other_customer.post("/collaboration/")["Location"] == root(draft)
    assert as_other_customer.get(root(draft)).status_code == 200
    assert "shared with you" in as_other_customer.get("/applications/").content.decode()
    assert "Otto Fremd" in page_at(as_owner, f"{root(draft)}access/").one("main").text


def test_an_owner_without_a_name_is_named_by_no_address(as_other_customer: Client, link: str, owner: Any) -> None:
    as_other_customer.get(link)
    owner.first_name = owner.last_name = ""
    owner.save()
    text = page_at(as_other_customer, "/collaboration/").one("main").text
    assert "You have been invited to view this application." in text
    assert owner.email not in text


def test_a_link_works_once_and_a_second_press_of_yes_leads_to_the_same_page_for_a_minute(
    as_other_customer: Client, draft: Draft, link: str
) -> None:
    as_other_customer.get(link)
    assert [as_other_customer.post("/collaboration/").headers.get("Location") for _ in range(2)] == [root(draft)] * 2
    Collaborator.objects.update(accepted_at=timezone.now() - timedelta(minutes=1))
    assert as_other_customer.post("/collaboration/").status_code == 404
    as_other_customer.get(link)
    assert as_other_customer.get("/collaboration/").status_code == 404


def test_of_two_invitations_accepted_at_once_a_second_press_leads_to_the_later_one(
    as_other_customer: Client, draft: Draft, owner: Any, other_customer: Any
) -> None:
    later = factories.new_draft(owner)
    earlier_row, later_row = (let_in(each, other_customer, Right.VIEW) for each in (draft, later))
    now = timezone.now()
    Collaborator.objects.filter(pk=earlier_row.pk).update(accepted_at=now - timedelta(seconds=4))
    Collaborator.objects.filter(pk=later_row.pk).update(accepted_at=now - timedelta(seconds=2))
    assert as_other_customer.post("/collaboration/")["Location"] == root(later)


def test_the_history_tells_sharing_from_a_changed_right(
    as_owner: Client, as_other_customer: Client, draft: Draft, link: str
) -> None:
    assert str(draft.application.changes.latest("pk")) == "Shared the application"
    as_other_customer.get(link)
    as_other_customer.post("/collaboration/")
    ask(as_owner, draft, right="edit")
    assert str(draft.application.changes.latest("pk")) == "Changed someone’s access"


def test_a_guest_who_signs_in_on_the_way_comes_back_to_it(as_nobody: Client, link: str, other_customer: Any) -> None:
    other_customer.set_password("a password of many letters")
    other_customer.save()
    as_nobody.get(link)
    way = as_nobody.get("/collaboration/")["Location"]
    assert way == "/accounts/login/?next=%2Fcollaboration%2F"
    response = as_nobody.post(way, {"login": other_customer.email, "password": "a password of many letters"})
    assert response["Location"] == "/collaboration/"
    assert as_nobody.get("/collaboration/").status_code == 200


@pytest.mark.parametrize("verified", [True, False])
def test_a_forwarded_link_opens_nothing_and_tells_nothing(
    as_owner: Client, as_other_customer: Client, draft: Draft, other_customer: Any, verified: bool
) -> None:
    factories.save_section(draft, "the-company", factories.COMPANY, by=draft.application.owner)
    EmailAddress.objects.filter(user=other_customer).update(verified=verified)
    ask(as_owner, draft, email=other_customer.email if not verified else "bob@example.com")
    as_other_customer.get(mailbox.latest_link("collaboration"))
    for ask_for in (as_other_customer.get, as_other_customer.post):
        response = ask_for("/collaboration/")
        assert response.status_code == 404
        text = response.content.decode()
        assert not [word for word in ("Larkfield", "Solheim", "bob@", "FP-", "British Virgin") if word in text]
    assert not Collaborator.objects.exclude(user=None).exists()


@pytest.mark.parametrize("end", ["withdrawn", "expired", "deleted", "wrong key"])
def test_what_is_over_cannot_be_taken(as_other_customer: Client, draft: Draft, link: str, owner: Any, end: str) -> None:
    as_other_customer.get(link if end != "wrong key" else "/collaboration/link/?key=wrong")
    if end == "withdrawn":
        Collaborator.objects.all().delete()
    elif end == "expired":
        Collaborator.objects.update(expires_at=timezone.now())
    elif end == "deleted":
        services.delete_draft(draft.application, by=owner)
    assert as_other_customer.get("/collaboration/").status_code == 404
    assert as_other_customer.post("/collaboration/").status_code == 404


def test_the_owner_stays_the_owner(as_owner: Client, draft: Draft) -> None:
    response = ask(as_owner, draft, email=" OWNER@example.com")
    assert response.status_code == 422
    assert not Collaborator.objects.exists()


def test_asked_twice_there_is_one_and_the_first_link_is_dead(
    as_owner: Client, as_other_customer: Client, draft: Draft, link: str
) -> None:
    ask(as_owner, draft)
    assert Email.objects.filter(kind="collaboration").count() == 1
    ask(as_owner, draft, right="edit")
    assert Collaborator.objects.get().right == "edit"
    as_other_customer.get(link)
    assert as_other_customer.get("/collaboration/").status_code == 404


def test_a_right_is_changed_and_taken_back(
    as_owner: Client, as_other_customer: Client, draft: Draft, other_customer: Any
) -> None:
    address = f"{root(draft)}access/{let_in(draft, other_customer, Right.VIEW).pk}/"
    for posted, right in (("edit", "edit"), ("own", "view"), ("", "view"), ("x", "view")):
        as_owner.post(address, {"right": posted})
        assert Collaborator.objects.get().right == right
    as_owner.post(f"{address}removal/")
    assert as_other_customer.get(root(draft)).status_code == 404
    assert as_owner.post(f"{address}removal/").status_code == 404


def test_who_may_edit_does_all_but_what_binds_the_owner(
    as_other_customer: Client, complete: Draft, other_customer: Any
) -> None:
    let_in(complete, other_customer, Right.EDIT)
    posted = {"version": "1", "q:person.last_name": "King", "roles": ["", "director", "shareholder"]}
    assert as_other_customer.post(f"{root(complete)}people/ada/", posted).status_code == 302
    stored = factories.again(complete)
    assert stored.parties[0].raw["person.last_name"] == "King"
    assert stored.application.changes.first().who == other_customer
    check = page_at(as_other_customer, f"{root(complete)}check/").one("main").text
    assert "Only its owner can submit this application." in check


def test_a_right_to_one_opens_no_other(
    as_other_customer: Client, draft: Draft, other_customer: Any, owner: Any
) -> None:
    let_in(draft, other_customer, Right.EDIT)
    assert as_other_customer.get(root(factories.new_draft(owner))).status_code == 404


def test_starting_the_same_product_is_never_taken_for_somebody_elses(draft: Draft, other_customer: Any) -> None:
    let_in(draft, other_customer, Right.VIEW)
    assert [*Application.objects.owned_by(other_customer)] == []


def test_the_pages_of_who_may_read_have_nothing_to_press(
    as_other_customer: Client, complete: Draft, other_customer: Any
) -> None:
    let_in(complete, other_customer, Right.VIEW)
    for path in ("", "sections/the-company/", "people/", "people/ada/", "shares/", "documents/", "check/"):
        page = page_at(as_other_customer, root(complete) + path)
        # What waits in a template is brought by script alone.
        pressed = [element for element in (*page.all("button"), *page.controls) if not element.inside("template")]
        assert [element.attributes for element in pressed if element.inside("main")] == [], path
        for words in ("Delete this draft", "Share this application"):
            assert words not in page.one("main").text
