"""`manage.py agent add|remove|list` says who may open the desk, and lets nobody else in by it."""

import json
import re
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from formation_portal.accounts import addresses
from formation_portal.accounts.models import Right, User
from formation_portal.audit.models import Actor, AuditAction, Entry
from formation_portal.mail.models import Email

pytestmark = pytest.mark.django_db(databases=["default", "service"])

NEW = "mira@example.com"
PASSWORD = "a passphrase of mira"
EVERYTHING = "own_cases, all_cases, review, decide, confirm, export, audit, workbench, keys, erase"


def run_command(*arguments: str) -> str:
    out = StringIO()
    call_command("agent", *arguments, stdout=out)
    return out.getvalue()


def signed_in(email: str, password: str) -> Client:
    client = Client()
    client.post("/accounts/login/", {"login": email, "password": password})
    return client


def choose_password(path: str) -> None:
    client = Client()
    form = client.get(path, follow=True)
    client.post(form.redirect_chain[-1][0], {"password1": PASSWORD, "password2": PASSWORD})


def path_in(text: str) -> str:
    found = re.search(r"https?://[^/\s]+(/accounts/password/reset/key/\S+)", text)
    assert found is not None, text
    return found[1]


@pytest.mark.parametrize("goes_out", [True, False])
def test_a_new_agent_chooses_a_password_and_opens_the_desk(goes_out: bool, settings: Any) -> None:
    settings.LETTERS_GO_OUT = goes_out
    out = run_command("add", " Mira@Example.com", "--first-name", "Mira", "--last-name", "Okafor")
    assert out.startswith(f"{NEW}: {EVERYTHING}\n")
    assert ("/accounts/password/reset/key/" in out) is not goes_out
    letter = Email.objects.get()
    assert (letter.kind, letter.to) == ("agent", NEW)
    choose_password(path_in(letter.text if goes_out else out))
    agent = User.objects.get(email=NEW)
    assert agent.get_full_name() == "Mira Okafor"
    assert addresses.has_confirmed(agent)
    assert signed_in(NEW, PASSWORD).get("/desk/").status_code == 200


def test_a_new_agent_has_the_rights_that_are_named_and_the_audit_keeps_them() -> None:
    assert run_command("add", NEW, "--rights", "review", "decide").startswith(f"{NEW}: review, decide\n")
    agent = User.objects.get()
    entry = Entry.objects.get()
    assert (entry.action, entry.actor, entry.subject) == (AuditAction.RIGHTS, Actor.PORTAL, str(agent.pk))
    assert json.loads(entry.detail) == {"given": ["decide", "review"], "taken": []}
    assert run_command("add", "dev@example.com", "--rights").startswith("dev@example.com: can only read\n")


def test_a_customer_who_becomes_an_agent_keeps_name_and_password(owner: User) -> None:
    owner.set_password(PASSWORD)
    owner.save()
    out = run_command("add", owner.email)
    assert "password" not in out
    assert "/desk/" in Email.objects.get().text
    assert signed_in(owner.email, PASSWORD).get("/desk/").status_code == 200


def test_whoever_signed_up_with_a_colleagues_address_does_not_become_the_agent() -> None:
    attacker = Client()
    posted = {"first_name": "M", "last_name": "O", "email": NEW, "password1": "a passphrase of mallory"}
    attacker.post("/accounts/signup/", posted)
    assert attacker.get("/applications/").status_code == 200
    path = path_in(run_command("add", NEW))
    for client in (attacker, signed_in(NEW, "a passphrase of mallory")):
        assert client.get("/desk/").status_code == 302, "nobody is signed in"
    choose_password(path)
    assert signed_in(NEW, PASSWORD).get("/desk/").status_code == 200


def test_a_removed_agent_is_a_customer_at_once_and_can_be_added_again(agent: User, as_agent: Client) -> None:
    assert as_agent.get("/desk/").status_code == 200
    assert run_command("remove", agent.email) == f"{agent.email} can't open the desk any more.\n"
    assert as_agent.get("/desk/").status_code == 302, "signed out, for good"
    as_agent.force_login(User.objects.get(pk=agent.pk))
    assert as_agent.get("/desk/").status_code == 403
    assert as_agent.get("/applications/").status_code == 200
    assert run_command("list") == "There are no agents. Add one: agent add EMAIL\n"
    kept = json.loads(Entry.objects.get().detail)
    assert kept == {"given": [], "taken": sorted(Right.values)}
    run_command("add", agent.email)
    assert as_agent.get("/desk/").status_code == 302, "a customer's session may last longer than an agent's"
    as_agent.force_login(User.objects.get(pk=agent.pk))
    assert as_agent.get("/desk/").status_code == 200
    assert run_command("list") == f"{agent.email}: {EVERYTHING}\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["add", "agent@example.com"], "agent@example.com is an agent already."),
        (["add", "mira"], "mira is no e-mail address."),
        (["add", NEW, "--rights", "fly"], "invalid choice: 'fly'"),
        (["remove", "nobody@example.com"], "There is no account nobody@example.com."),
        (["remove", "owner@example.com"], "owner@example.com is a customer's account."),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_is_changed(
    agent: User, owner: User, arguments: list[str], words: str
) -> None:
    with pytest.raises(CommandError, match=re.escape(words)):
        run_command(*arguments)
    assert User.objects.filter(is_agent=True).count() == 1
    assert User.objects.count() == 2
    assert not Email.objects.exists()
