"""How many e-mails somebody may have sent to other people's addresses, and that nobody gets around the count."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from allauth.core import ratelimit
from django.db import connection
from django.test import Client, RequestFactory, override_settings

from formation_portal.accounts import policies
from formation_portal.accounts.guesses import Limit
from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.mail.models import Email
from tests import factories
from tests.encrypted_rows import rows_with
from tests.portal.pages import people_url, root, sound
from tests.portal.sharing.test_access import ask

pytestmark = pytest.mark.django_db(databases=["default", "service"])

SORRY = "We can’t send any more e-mails today. Try again tomorrow"


def count_emails_to(address: str) -> int:
    return len(rows_with(Email.objects, to=address))


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers that are soon reached."""
    monkeypatch.setattr(policies, "EMAILS_OF_ACCOUNT", Limit("letters of an account", 5, 86_400))
    monkeypatch.setattr(policies, "EMAILS_TO_ADDRESS", Limit("letters to an address", 3, 86_400))


@pytest.mark.usefixtures("few")
def test_an_address_gets_so_many_emails_a_day_whoever_sends_them(
    as_owner: Client, as_other_customer: Client, draft: Draft, owner: Any, other_customer: Any
) -> None:
    other = f"{root(factories.new_draft(other_customer))}access/"
    for name in ("Ada", "Bob"):
        party = services.add_party(draft, "person", ["director"], {"person.first_name": name}, by=owner)
        as_owner.post(people_url(draft, f"{party.token}/invitation/"), {"email": "ada@example.com"})
    assert as_other_customer.post(other, {"email": "Ada@example.com"}).status_code == 302
    answer = as_other_customer.post(other, {"email": "ada@example.com", "right": "edit"})
    assert SORRY in sound(answer, 422).one("main").text
    assert count_emails_to("ada@example.com") == 3
    assert as_other_customer.post(other, {"email": "bob@example.com"}).status_code == 302


@pytest.mark.usefixtures("few")
def test_an_account_sends_so_many_emails_a_day(as_owner: Client, draft: Draft) -> None:
    for count in range(5):
        assert ask(as_owner, draft, email=f"{count}@example.com").status_code == 302
    assert SORRY in sound(ask(as_owner, draft, email="more@example.com"), 422).one("main").text
    assert count_emails_to("more@example.com") == 0


@pytest.mark.usefixtures("few")
@pytest.mark.django_db(transaction=True, databases=["default", "service"])
def test_presses_at_the_same_time_pass_the_limit_of_an_address_no_further(owner: Any) -> None:
    ready = Barrier(8)

    def press(_: int) -> bool:
        ready.wait(timeout=30)
        try:
            return policies.may_write_to(owner, "ada@example.com")
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(press, range(8))) == [False] * 5 + [True] * 3


def test_trying_many_addresses_makes_nobody_forget_what_was_tried_at_one(rf: RequestFactory) -> None:
    def may_try(address: str) -> bool:
        return bool(ratelimit.consume(rf.post("/"), action="reset_password", key=address))

    with override_settings(ACCOUNT_RATE_LIMITS={"reset_password": "5/m/key"}):
        assert [may_try("ada@example.com") for _ in range(6)] == [True] * 5 + [False]
        assert all(may_try(f"{count}@example.com") for count in range(2_000))
        assert not may_try("ada@example.com")
