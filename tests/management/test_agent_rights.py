"""`manage.py agent_rights` lists what agents may do, and gives and takes it; the audit keeps each change."""

import json
import re
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from formation_portal.accounts.models import Right, User
from formation_portal.audit.models import Actor, AuditAction, Entry

pytestmark = pytest.mark.django_db(databases=["default", "service"])

EVERYTHING = "own_cases, all_cases, review, decide, confirm, export, audit, workbench, keys, erase"


def run_command(*arguments: str) -> str:
    out = StringIO()
    call_command("agent_rights", *arguments, stdout=out)
    return out.getvalue()


def test_it_lists_all_agents_and_no_customers(owner: User) -> None:
    assert run_command() == "There are no agents.\n"
    User.objects.create_user("dev@example.com", is_agent=True, is_active=False, rights=["review"])
    User.objects.create_superuser("root@example.com", "a-long-password")
    assert run_command() == f"dev@example.com: review\nroot@example.com: {EVERYTHING}\n"
    run_command("root@example.com", "--take", "decide")
    assert not User.objects.get(email="root@example.com").has_perm(Right.DECIDE.permission)


def test_it_takes_and_gives_and_the_audit_keeps_it(agent: User) -> None:
    run_command("agent@example.com", "--give", "review")
    assert not Entry.objects.exists(), "what is so already"
    left = run_command("Agent@example.com", "--take", "audit", "decide")
    assert left == "agent@example.com: own_cases, all_cases, review, confirm, export, workbench, keys, erase\n"
    left = run_command("agent@example.com", "--give", "decide")
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
def test_what_cannot_be_done_is_said(agent: User, owner: User, arguments: list[str], words: str) -> None:
    with pytest.raises(CommandError, match=words):
        run_command(*arguments)
    assert all(User.objects.get(pk=agent.pk).has_perm(right.permission) for right in Right)


def test_agents_read_it_in_the_audit(agent: User, as_agent: Client) -> None:
    run_command("agent@example.com", "--take", "decide")
    for path in ("/desk/audit/", "/desk/audit/1/"):
        assert re.search("Mira Okafor[^<]* decide", as_agent.get(path).content.decode())
