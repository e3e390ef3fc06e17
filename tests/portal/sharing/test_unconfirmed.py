"""Before its address is confirmed an account has drafts of its own, and every page of an application says so."""

import re
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from formation_portal.accounts import addresses
from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application
from formation_portal.contract.lifecycle import State
from formation_portal.invitations import parts
from formation_portal.invitations.models import Invitation
from formation_portal.mail.models import Email
from tests.accounts.test_sign_up import NEW
from tests.invitations import mailbox
from tests.markup import Markup
from tests.portal.pages import root, sound
from tests.portal.sharing.test_access import ask

pytestmark = pytest.mark.django_db(databases=["default", "service"])

ID = "confirm-address"


@pytest.fixture
def unconfirmed(owner: Any) -> Any:
    EmailAddress.objects.filter(user=owner).update(verified=False)
    return owner


def pages(draft: Draft) -> list[str]:
    """Every page of the draft that shows something."""
    own = [
        "", "sections/the-company/", "people/", "people/new/?role=director&kind=person", "people/spreadsheet/",
        "people/ada/", "people/ada/invitation/", "people/ada/removal/", "shares/", "shares/classes/new/",
        "shares/classes/ordinary/", "documents/", "access/", "check/", "copy/", "carry-over/", "removal/",
    ]  # fmt: skip
    return [f"{root(draft)}{page}" for page in own]


def test_every_page_of_an_application_says_so_with_the_ways_out(
    complete: Draft, unconfirmed: Any, as_owner: Client
) -> None:
    for path in ["/applications/", *pages(complete)]:
        markup = Markup(as_owner.get(path).content.decode())
        assert unconfirmed.email in markup.one("section", aria_labelledby=ID).text, path
        assert any(link.inside("section") for link in markup.all("a", href="/accounts/email/")), path
        assert markup.one("form", action="/accounts/confirmation/"), path
        assert markup.one("input", name="next").attributes["value"] == path


def test_once_it_is_confirmed_no_page_says_so_and_a_session_asks_once(complete: Draft, as_owner: Client) -> None:
    with CaptureQueriesContext(connection) as asked:
        shown = {path: as_owner.get(path).content.decode() for path in pages(complete)}
    assert [path for path, page in shown.items() if ID in page] == []
    assert sum("account_emailaddress" in one["sql"] for one in asked) == 1


def test_nothing_is_submitted_before_and_everything_after(complete: Draft, unconfirmed: Any, as_owner: Client) -> None:
    markup = sound(as_owner.post(f"{root(complete)}submission/", {"declaration": "1"}), 422)
    assert any(one.attributes["href"] == f"#{ID}" for one in markup.all("a"))
    assert "checked" in markup.one("input", id="declaration").attributes, "what was ticked stays ticked"
    assert Application.objects.get().status is State.DRAFT
    addresses.confirm(unconfirmed)
    as_owner.post(f"{root(complete)}submission/", {"declaration": "1"})
    assert Application.objects.get().status is State.SUBMITTED_FOR_REVIEW


def test_corrections_wait_for_it_too_and_a_withdrawal_does_not(
    submitted: Draft, unconfirmed: Any, as_owner: Client
) -> None:
    services.reopen(submitted, reason="Please change the name")
    as_owner.post(f"{root(submitted)}submission/", {"declaration": "1"})
    assert Application.objects.get().status is State.RETURNED_FOR_CHANGES
    as_owner.post(f"{root(submitted)}withdrawal/", {})
    assert Application.objects.get().status is State.WITHDRAWN


def test_nobody_is_written_to_in_its_name(complete: Draft, unconfirmed: Any, as_owner: Client) -> None:
    for path in (f"{root(complete)}access/", f"{root(complete)}people/ada/invitation/"):
        page = sound(as_owner.post(path, {"email": "stranger@example.com"}), 422)
        control = page.one("input", id="email")
        assert (control.attributes["value"], control.attributes["aria-invalid"]) == ("stranger@example.com", "true")
    assert not Email.objects.exists()


def test_nobody_is_reminded_in_its_name(complete: Draft, owner: Any, as_owner: Client) -> None:
    parts.invite(complete, complete.parties[0], email="guest@example.com", by=owner, language="en")
    Invitation.objects.update(sent_at="2020-01-01T00:00:00Z")
    EmailAddress.objects.update(verified=False)
    as_owner.post(f"{root(complete)}people/ada/invitation/reminder/")
    assert not Email.objects.filter(kind="nudge").exists()


def test_a_guest_who_was_asked_in_confirms_on_the_way_and_comes_back(
    draft: Draft, as_owner: Client, other_customer: Any, as_other_customer: Client
) -> None:
    EmailAddress.objects.filter(user=other_customer).update(verified=False)
    ask(as_owner, draft)
    as_other_customer.get(mailbox.latest_link("collaboration"))
    page = sound(as_other_customer.get("/collaboration/"), 404)
    action = page.one("form", action="/accounts/confirmation/").attributes["action"]
    assert as_other_customer.post(action, {"next": "/collaboration/"})["Location"] == "/collaboration/"
    assert confirm(as_other_customer) == "/collaboration/"
    assert as_other_customer.get("/collaboration/").status_code == 200


@pytest.mark.parametrize(
    ("demo", "goes_out", "has_email", "can_confirm"),
    [(True, False, True, True), (True, True, False, True), (False, True, False, True), (False, False, False, False)],
)
def test_the_email_is_linked_where_it_stays_and_a_portal_that_sends_none_says_so(
    demo: bool, goes_out: bool, has_email: bool, can_confirm: bool, settings: Any
) -> None:
    settings.DEMO, settings.LETTERS_GO_OUT = demo, goes_out
    client = Client()
    page = client.get("/accounts/signup/").content.decode()
    assert ("is-warning" in page) is not can_confirm
    page = client.post("/accounts/signup/", NEW, follow=True).content.decode()
    letter = Email.objects.get()
    assert (f'href="/letters/{letter.number}/"' in page) is has_email
    assert ('action="/accounts/confirmation/"' in page) is can_confirm


def sign_up(following: str) -> Client:
    """Sign up on the way to an address."""
    client = Client()
    assert client.post("/accounts/signup/", NEW | {"next": following}).status_code == 302
    return client


def confirm(client: Client) -> str:
    """Press the button behind the e-mail's link; where it leads."""
    (path,) = re.findall(r"https?://[^/\s]+(/accounts/confirm-email/\S+)", mailbox.latest_mail("confirmation").text)
    forms = Markup(client.get(path).content.decode()).all("form", method="post")
    [form] = [one for one in forms if "/confirm-email/" in one.attributes["action"]]
    return str(client.post(form.attributes["action"])["Location"])


def test_a_customer_who_confirms_before_they_start_comes_to_the_product_that_they_chose(full_catalog: None) -> None:
    product = "/products/bvi-limited-company/?chosen"
    client = sign_up(product)
    assert confirm(client) == product
    assert client.get(product).status_code == 200


def test_a_customer_who_has_started_before_they_confirm_comes_to_the_application(full_catalog: None) -> None:
    client = sign_up("/products/bvi-limited-company/?chosen")
    started = client.post("/applications/", {"product": "bvi-limited-company"})["Location"]
    assert confirm(client) == started == f"/applications/{Application.objects.get().reference}/"


@pytest.mark.parametrize("elsewhere", ["https://example.org/", "//example.org/", "\\\\example.org"])
def test_confirming_leads_nowhere_else(elsewhere: str) -> None:
    assert confirm(sign_up(elsewhere)) == "/applications/"
