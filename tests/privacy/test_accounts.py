"""Deleting an account: what goes, what stays under a number, and that nothing of its holder is left in bytes."""

from typing import Any

import pytest
from allauth.usersessions.models import UserSession
from django.core.management import CommandError, call_command
from django.test import Client

from formation_portal.accounts.models import User
from formation_portal.applications import services
from formation_portal.applications.access import Collaborator, Right
from formation_portal.applications.models import Application
from formation_portal.audit.models import AuditAction, Entry
from formation_portal.invitations.collaborators import accept, share_with
from formation_portal.mail.models import Email
from formation_portal.mail.worker import send_due
from formation_portal.privacy.accounts import AccountContent, NotErasable, erase_account
from formation_portal.relay.worker import drain
from formation_portal.service.models import Entity, KeptAnswer
from tests.accounts.people import PASSWORD, is_in, sign_in, signed_in
from tests.privacy.stages import database_files, files, findings, moved, opened_text, plain_text, started
from tests.reviews.canaries import Review

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def test_nothing_of_a_customer_with_drafts_is_left_and_the_last_email_is_emptied_once_it_is_sent(
    owner: Any, as_owner: Client, settings: Any, django_capture_on_commit_callbacks: Any, mailoutbox: Any
) -> None:
    settings.LETTERS_GO_OUT = True
    started(owner)
    drain()
    assert "lovelace" in opened_text()
    assert files()
    answers = KeptAnswer.objects.count()
    assert b"Lovelace" in b"".join(bytes(answer.body) for answer in KeptAnswer.objects.all())
    with (
        django_capture_on_commit_callbacks(execute=True),
        django_capture_on_commit_callbacks(using="service", execute=True),
    ):
        as_owner.post("/your-data/deletion/")
        assert Email.objects.get(kind="account_deleted").to == owner.email
        send_due()
        drain()
    assert [owner.email] in [message.to for message in mailoutbox]
    assert not Email.objects.exclude(to="").exists()
    left = opened_text()
    words = (owner.email, owner.first_name.lower(), owner.last_name.lower(), "lovelace", "passport.pdf")
    assert [word for word in words if word in left] == []
    assert files() == []
    assert not Entity.objects.exists()
    # They still keep a request that comes twice from making it again.
    kept = KeptAnswer.objects.all()
    assert len(kept) == answers
    assert b"Lovelace" not in b"".join(bytes(answer.body) for answer in kept)


@pytest.mark.django_db(databases=["default", "service"], transaction=True)
def test_nothing_is_left_in_the_bytes_of_the_databases(owner: Any) -> None:
    draft = started(owner)
    moved(draft, owner, None, "submit", "withdraw")
    started(owner)
    drain()
    names = [one.encode() for one in (owner.email, "Solheim")]
    assert any(name in content for content in database_files() for name in names)
    erase_account(owner, by=None)
    drain()
    call_command("privacy", "vacuum", "--whole")
    call_command("privacy", "vacuum")
    assert [name for content in database_files() for name in names if name in content] == []


def test_decided_applications_stay_without_the_account(owner: Any, agent: Any) -> None:
    formed = moved(started(owner), owner, agent, "submit", "begin_review", "approve", "record_incorporation")
    declined = moved(started(owner), owner, agent, "submit", "begin_review", "decline")
    withdrawn = moved(started(owner), owner, agent, "submit", "withdraw")
    unsent = [started(owner).application for _ in range(2)]
    content = AccountContent.of(owner)
    assert (content.goes, content.stays, content.under_way) == ((withdrawn, *unsent), (formed, declined), ())
    erase_account(owner, by=None)
    assert set(Application.objects.filter(deleted_at=None)) == {formed, declined}
    assert Application.objects.get(pk=withdrawn.pk).deleted_at is not None
    user = User.objects.get(pk=owner.pk)
    assert (user.is_active, user.called) == (False, f"Deleted account {user.pk}")
    assert user.email == f"account-{user.pk}@deleted.invalid"
    assert owner.email not in opened_text()


def test_what_is_under_way_comes_first_and_agents_keep_their_names(owner: Any, agent: Any, as_owner: Client) -> None:
    under_way = moved(started(owner), owner, agent, "submit")
    page = as_owner.get("/your-data/deletion/").content.decode()
    assert under_way.reference in page
    assert "button-danger" not in page
    assert as_owner.post("/your-data/deletion/").status_code == 409
    with pytest.raises(NotErasable) as refused:
        erase_account(owner, by=owner)
    assert refused.value.under_way == (under_way,)
    assert User.objects.get(pk=owner.pk).email == owner.email
    with pytest.raises(NotErasable):
        erase_account(agent, by=None)


def test_deleting_asks_for_the_password_also_just_after_signing_in_and_ends_all_sessions(owner: Any) -> None:
    owner.set_password(PASSWORD)
    owner.save()
    browser, elsewhere, again = signed_in(email=owner.email), signed_in(email=owner.email), Client()
    assert is_in(elsewhere)
    where = "/accounts/reauthenticate/?next=%2Fyour-data%2Fdeletion%2F"
    assert browser.get("/your-data/deletion/")["Location"] == where
    assert browser.post("/your-data/deletion/")["Location"] == where
    browser.post(where, {"password": "wrong", "next": "/your-data/deletion/"})
    assert browser.get("/your-data/deletion/")["Location"] == where
    assert User.objects.get(pk=owner.pk).email == owner.email
    browser.post(where, {"password": PASSWORD, "next": "/your-data/deletion/"})
    answer = browser.post("/your-data/deletion/", follow=True)
    assert "Your account was deleted" in answer.content.decode()
    sign_in(again, PASSWORD, owner.email)
    assert [is_in(client) for client in (browser, elsewhere, again)] == [False] * 3


def test_where_somebody_was_signed_in_and_access_to_others_applications_go_with_the_account(
    owner: Any, other_customer: Any
) -> None:
    draft, grace = started(owner), User.objects.create_user("grace@example.com")
    for user, address in ((owner, "203.0.113.7"), (other_customer, "203.0.113.9")):
        UserSession.objects.create(user=user, ip=address, user_agent="Browser", session_key=f"key{user.pk}")
    for person in (other_customer, grace):
        accept(share_with(draft, email=person.email, right=Right.VIEW, by=owner, language="en"), by=person)
    erase_account(other_customer, by=None)
    assert list(Collaborator.objects.values_list("email", "user")) == [("grace@example.com", grace.pk)]
    assert list(UserSession.objects.values_list("ip", flat=True)) == ["203.0.113.7"]
    assert other_customer.email not in opened_text()
    assert Application.objects.get().deleted_at is None


def test_the_audit_log_is_whole_afterwards(complete: Any, owner: Any, settings: Any) -> None:
    settings.FOUR_EYES = True
    review = Review(complete, owner)
    review.look()
    review.give_back()
    services.withdraw(review.draft, by=owner)
    drain()
    erase_account(owner, by=owner)
    assert findings() == []
    action = Entry.objects.latest("number")
    assert (action.action, action.subject) == (AuditAction.ERASURE, str(owner.pk))
    left = plain_text("accounts.User", "account.EmailAddress")
    assert "canary" not in left


def test_the_command_asks_for_the_address_twice(owner: Any) -> None:
    with pytest.raises(CommandError, match="differ"):
        call_command("privacy", "erase-account", owner.email, "other@example.com")
    assert User.objects.get(pk=owner.pk).is_active
    call_command("privacy", "erase-account", owner.email, owner.email)
    assert not User.objects.get(pk=owner.pk).is_active
    with pytest.raises(CommandError, match="no account"):
        call_command("privacy", "erase-account", owner.email, owner.email)
