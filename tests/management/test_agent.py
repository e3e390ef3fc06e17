"""`manage.py agent add|remove|list` says who may open the desk, and `agent_rights` what they may do there."""

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


def run(*command: str) -> str:
    out = StringIO()
    call_command(*command, stdout=out)
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
    out = run("agent", "add", " Mira@Example.com", "--first-name", "Mira", "--last-name", "Okafor")
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
    assert run("agent", "add", NEW, "--rights", "review", "decide").startswith(f"{NEW}: review, decide\n")
    agent = User.objects.get()
    entry = Entry.objects.get()
    assert (entry.action, entry.actor, entry.subject) == (AuditAction.RIGHTS, Actor.PORTAL, str(agent.pk))
    assert json.loads(entry.detail) == {"given": ["decide", "review"], "taken": []}
    assert run("agent", "add", "dev@example.com", "--rights").startswith("dev@example.com: can only read\n")


def test_a_customer_who_becomes_an_agent_keeps_name_and_password(owner: User) -> None:
    owner.set_password(PASSWORD)
    owner.save()
    out = run("agent", "add", owner.email)
    assert "password" not in out
    assert "/desk/" in Email.objects.get().text
    assert signed_in(owner.email, PASSWORD).get("/desk/").status_code == 200


def test_whoever_signed_up_with_a_colleagues_address_does_not_become_the_agent() -> None:
    attacker = Client()
    posted = {"first_name": "M", "last_name": "O", "email": NEW, "password1": "a passphrase of mallory"}
    attacker.post("/accounts/signup/", posted)
    assert attacker.get("/applications/").status_code == 200
    path = path_in(run("agent", "add", NEW))
    for client in (attacker, signed_in(NEW, "a passphrase of mallory")):
        assert client.get("/desk/").status_code == 302, "nobody is signed in"
    choose_password(path)
    assert signed_in(NEW, PASSWORD).get("/desk/").status_code == 200


def test_a_removed_agent_is_a_customer_at_once_and_can_be_added_again(agent: User, as_agent: Client) -> None:
    assert as_agent.get("/desk/").status_code == 200
    assert run("agent", "remove", agent.email) == f"{agent.email} can't open the desk any more.\n"
    assert as_agent.get("/desk/").status_code == 302, "signed out, for good"
    as_agent.force_login(User.objects.get(pk=agent.pk))
    assert as_agent.get("/desk/").status_code == 403
    assert as_agent.get("/applications/").status_code == 200
    assert run("agent", "list") == "There are no agents. Add one: agent add EMAIL\n"
    kept = json.loads(Entry.objects.get().detail)
    assert kept == {"given": [], "taken": sorted(Right.values)}
    run("agent", "add", agent.email)
    assert as_agent.get("/desk/").status_code == 302, "a customer's session may last longer than an agent's"
    as_agent.force_login(User.objects.get(pk=agent.pk))
    assert as_agent.get("/desk/").status_code == 200
    assert run("agent", "list") == f"{agent.email}: {EVERYTHING}\n"


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
        run("agent", *arguments)
    assert User.objects.filter(is_agent=True).count() == 1
    assert User.objects.count() == 2
    assert not Email.objects.exists()


def test_rights_of_all_agents_and_of_no_customers_are_listed(owner: User) -> None:
    assert run("agent_rights") == "There are no agents.\n"
    User.objects.create_user("dev@example.com", is_agent=True, is_active=False, rights=["review"])
    User.objects.create_superuser("root@example.com", "a-long-password")
    assert run("agent_rights") == f"dev@example.com: review\nroot@example.com: {EVERYTHING}\n"
    run("agent_rights", "root@example.com", "--take", "decide")
    assert not User.objects.get(email="root@example.com").has_perm(Right.DECIDE.permission)


def test_rights_are_taken_and_given_and_the_audit_keeps_it(agent: User) -> None:
    run("agent_rights", "agent@example.com", "--give", "review")
    assert not Entry.objects.exists(), "what is so already"
    left = run("agent_rights", "Agent@example.com", "--take", "audit", "decide")
    assert left == "agent@example.com: own_cases, all_cases, review, confirm, export, workbench, keys, erase\n"
    left = run("agent_rights", "agent@example.com", "--give", "decide")
    assert left == "agent@example.com: own_cases, all_cases, review, decide, confirm, export, workbench, keys, erase\n"
    agent = User.objects.get(pk=agent.pk)
    has = [right for right in Right if agent.has_perm(right.permission)]
    assert has == ["own_cases", "all_cases", "review", "decide", "confirm", "export", "workbench", "keys", "erase"]
    entries = Entry.objects.order_by("number")
    assert {(entry.action, entry.actor, entry.subject) for entry in entries} == {
        (AuditAction.RIGHTS, Actor.PORTAL, str(agent.pk))
    }
    assert [json.loads(entry.detail) for entry in entries] == [
        {"given": [], "taken": ["audit", "decide"]},
        {"given": ["decide"], "taken": []},
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nobody@example.com"], "There is no account nobody@example.com."),
        (["owner@example.com", "--give", "decide"], "owner@example.com is a customer's account."),
        (["--give", "decide"], "Name the agent"),
        (["agent@example.com", "--give", "decide", "--take", "decide"], "Give or take decide, not both."),
        (["agent@example.com", "--give", "fly"], "invalid choice: 'fly'"),
    ],
)
def test_rights_that_cannot_be_given_are_said(agent: User, owner: User, arguments: list[str], words: str) -> None:
    with pytest.raises(CommandError, match=words):
        run("agent_rights", *arguments)
    assert all(User.objects.get(pk=agent.pk).has_perm(right.permission) for right in Right)


def test_agents_read_of_their_rights_in_the_audit(agent: User, as_agent: Client) -> None:
    run("agent_rights", "agent@example.com", "--take", "decide")
    for path in ("/desk/audit/", "/desk/audit/1/"):
        assert re.search("Mira Okafor[^<]* decide", as_agent.get(path).content.decode())
