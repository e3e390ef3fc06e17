"""E-mails to addresses that nobody has confirmed name nobody; the page behind the code or the sign-in does."""

from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.test import Client
from django.utils import timezone

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
from tests.invitations import mailbox
from tests.portal.sharing.test_part import let_in, url

pytestmark = pytest.mark.django_db(databases=["default", "service"])

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


def test_names_are_shown_once_the_code_was_entered(named: Draft, owner: Any) -> None:
    invitation = parts.invite(named, named.parties[0], email=STRANGER, by=owner, language="en")
    guest = Client()
    before = guest.get(mailbox.latest_link("invitation"), follow=True).content.decode()
    assert canaries_in(before) == []
    after = let_in(guest, invitation).get(url(invitation)).content.decode()
    assert {"Quillfeather", "Ottersby", "Marrowgate", "Thistlewood"} <= set(canaries_in(after))
    assert canaries_in(texts_to(STRANGER)["code"]) == []


def test_names_are_shown_to_a_collaborator_who_has_signed_in(
    named: Draft, owner: Any, other_customer: Any, as_other_customer: Client
) -> None:
    collaborators.share_with(named, email=other_customer.email, right=Right.EDIT, by=owner, language="en")
    page = as_other_customer.get(mailbox.latest_link("collaboration"), follow=True).content.decode()
    assert {"Quillfeather", "Ottersby", "Marrowgate"} <= set(canaries_in(page))
    EmailAddress.objects.filter(user=other_customer).update(verified=False)
    assert canaries_in(as_other_customer.get("/collaboration/").content.decode()) == []


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
