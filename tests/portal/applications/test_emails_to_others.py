"""How many e-mails somebody may have sent to other people's addresses, and that nobody gets around the count."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from allauth.core import ratelimit
from django.db import connection
from django.test import Client, RequestFactory, override_settings
from django.utils import timezone

from formation_portal.accounts import policies
from formation_portal.accounts.guesses import Limit
from formation_portal.accounts.models import Right as AgentRight
from formation_portal.accounts.models import User
from formation_portal.applications import services
from formation_portal.applications.access import Right
from formation_portal.applications.draft import Draft
from formation_portal.invitations import collaborators, parts
from formation_portal.invitations.models import Invitation
from formation_portal.mail.models import Email
from formation_portal.mail.rendering import KINDS_WITH_NAMES
from formation_portal.management.commands.agent import add_agent
from tests import factories
from tests.accounts.test_addresses import change
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


# Of the inviter, the company, the party and of who signs up: none is a word of ours.
CANARIES = ("Quillfeather", "Ottersby", "Marrowgate", "Thistlewood", "Pennyroyal", "Larkspur")
STRANGER = "stranger@example.com"


@pytest.fixture
def named(draft: Draft, owner: Any) -> Draft:
    """An application whose owner, company and party all have names that give them away."""
    owner.first_name, owner.last_name = "Quillfeather", "Ottersby"
    owner.save()
    factories.save_section(draft, "the-company", {"entity.name": "Marrowgate"}, by=owner)
    services.add_party(draft, "person", ["director"], {"person.first_name": "Thistlewood"}, by=owner)
    assert draft.title.startswith("Marrowgate")
    return draft


def texts_to(address: str) -> dict[str, str]:
    """All that came to the address, by the kind of letter."""
    found = rows_with(Email.objects, to=address)
    return {one.kind: "\n".join((one.subject, one.text, one.html)) for one in found}


def canaries_in(text: str) -> list[str]:
    return [word for word in CANARIES if word.lower() in text.lower()]


def test_invitations_say_what_it_is_and_who_runs_the_portal_and_name_nobody(
    named: Draft, owner: Any, settings: Any
) -> None:
    settings.OPERATOR_NAME = "Kite Formations"
    parts.invite(named, named.parties[0], email=STRANGER, by=owner, language="en")
    Invitation.objects.update(sent_at=timezone.now() - parts.REMIND_EVERY)
    parts.remind(named, named.parties[0], by=owner)
    collaborators.share_with(named, email=STRANGER, right=Right.EDIT, by=owner, language="en")
    texts = texts_to(STRANGER)
    assert set(texts) == {"invitation", "nudge", "collaboration"}
    application = named.application
    for text in texts.values():
        assert canaries_in(text) == []
        assert owner.email not in text
        for words in (
            application.product_name,
            application.jurisdiction_name,
            application.reference,
            "Kite Formations",
            "you don’t need to do anything",
            "ask us and give the reference",
        ):
            assert words in text
    for kind in ("invitation", "nudge"):
        assert "Stop these e-mails" in texts[kind]


def test_somebody_who_opens_an_account_puts_no_name_into_letters_to_its_address(settings: Any) -> None:
    """Signing up, asking for another confirmation, changing the address, a reset, and being made an agent."""
    client = Client()
    posted = {"first_name": "Pennyroyal", "last_name": "Larkspur", "email": STRANGER, "password1": "a long passphrase"}
    client.post("/accounts/signup/", posted)
    client.post("/accounts/signup/", posted)
    client.post("/accounts/password/reset/", {"email": STRANGER})
    change(client, "other@example.com", "a long passphrase")
    add_agent("other@example.com", rights=[AgentRight.REVIEW])
    user = User.objects.get(first_name="Pennyroyal")
    assert user.email == "other@example.com"
    found = {**texts_to(STRANGER), **texts_to("other@example.com")}
    assert {"confirmation", "password_reset", "agent"} <= set(found)
    assert not KINDS_WITH_NAMES & set(found)
    assert [kind for kind, text in found.items() if canaries_in(text)] == []
