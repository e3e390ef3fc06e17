"""API keys at the desk and on the command line: shown once, listed with their last use, revoked, and audited."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from formation_portal.audit.models import AuditAction, Entry
from formation_portal.desk.audit.pages import describe
from formation_portal.service.auth import DEMO_KEY, SCOPES, digest_of, ensure_demo_key, portal_key
from formation_portal.service.models import ApiKey
from tests.desk.decision_setup import sound
from tests.service.caller import Caller
from tests.service.conftest import loaded

__all__ = ["loaded"]

KEYS = "/desk/api-keys/"
FORM = {"name": "Ledger import", "days": "90", "scopes": ["entities:read", "parties:read"]}


def make(client: Client, **typed: Any) -> Any:
    return client.post(KEYS, FORM | typed)


def shown_key(answer: Any) -> str:
    return str(sound(answer).one("input", id="key").attributes["value"])


def audited() -> list[str]:
    found = Entry.objects.filter(action=AuditAction.RIGHTS, subject__startswith="API key").order_by("number")
    return [f"{one.who}: {one.what}" for one in describe(found)]


def test_a_key_is_shown_once_and_opens_what_its_scopes_say(loaded: None, as_agent: Client) -> None:
    answer = make(as_agent)
    assert answer.status_code == 200
    assert answer["Cache-Control"] == "no-store"
    key = shown_key(answer)
    assert key.startswith("sk_live_")
    row = ApiKey.objects.get()
    assert (row.digest, row.ending, row.scopes) == (digest_of(key), key[-4:], FORM["scopes"])
    assert row.expires_at is not None
    assert abs(row.expires_at - timezone.now() - timedelta(days=90)) < timedelta(minutes=1)
    assert Caller(key).get("/catalog").status_code == 200
    assert Caller(key).get("/webhooks").status_code == 403
    page = as_agent.get(KEYS).content.decode()
    assert key not in page
    assert f'Ends in <span class="id">{key[-4:]}</span>' in page
    assert (
        timezone.localtime(ApiKey.objects.get().last_used_at).strftime("%H:%M")
        in sound(as_agent.get(KEYS)).one("tbody").text
    )
    assert audited() == [f"Mira Okafor: Made API key {row.pk}: entities:read, parties:read"]
    assert not Entry.objects.filter(detail__contains=key).exists()
    assert not Entry.objects.filter(detail__contains="Ledger").exists()


def test_what_makes_no_key_says_why(as_agent: Client) -> None:
    for typed, words in (
        ({"name": " "}, "Enter a name."),
        ({"scopes": []}, "Select at least one scope."),
        ({"scopes": ["parties:eat"]}, "parties:eat is not one of the available choices."),
        ({"account": "Portal"}, "Keys of this account can read the records of all customers."),
    ):
        answer = make(as_agent, **typed)
        markup = sound(answer, 422)
        [link] = [link for link in markup.all("a") if words in link.text]
        assert f'id="{link.attributes["href"].removeprefix("#")}"' in answer.content.decode()
    assert not ApiKey.objects.exists()
    assert audited() == []


def test_a_form_makes_one_key_of_what_it_asks_for_and_no_second_of_the_name(as_agent: Client) -> None:
    make(
        as_agent, days="never", is_unlimited="true", is_demo="true", digest=digest_of("known"), scopes=["entities:read"]
    )
    row = ApiKey.objects.get()
    assert (row.is_unlimited, row.is_demo, row.scopes) == (False, False, ["entities:read"])
    assert row.digest != digest_of("known")
    assert row.expires_at is None
    again = sound(make(as_agent, name="ledger IMPORT"), 422)
    assert "Another key has this name." in again.one("main").text
    assert ApiKey.objects.count() == 1
    ApiKey.objects.update(revoked_at=timezone.now())
    assert make(as_agent).status_code == 200


def test_revoking_one_asks_first_and_leaves_what_it_made(loaded: None, as_agent: Client) -> None:
    key = shown_key(make(as_agent, account="Larkfield", scopes=list(SCOPES)))
    entity = Caller(key).entity()
    row = ApiKey.objects.get()
    address = next(
        one.attributes["href"] for one in sound(as_agent.get(KEYS)).all("a") if one.text.startswith("Revoke")
    )
    asked = sound(as_agent.get(address))
    assert "You cannot undo this." in asked.one("main").text
    assert Caller(key).get("/catalog").status_code == 200
    assert as_agent.post(address)["Location"] == KEYS
    assert Caller(key).get("/catalog").status_code == 401
    assert "already revoked" in as_agent.post(address, follow=True).content.decode()
    other = shown_key(make(as_agent, name="Another", account="Larkfield", scopes=list(SCOPES)))
    assert Caller(other).get(f"/entities/{entity}").status_code == 200
    assert f"Mira Okafor: Revoked API key {row.pk}" in audited()
    assert "Revoked" in sound(as_agent.get(KEYS)).one("tbody").text


def test_what_the_portal_needs_is_named_and_not_revoked(as_agent: Client) -> None:
    ensure_demo_key()
    own = portal_key()
    text = sound(as_agent.get(KEYS)).one("tbody").text
    assert "The portal’s own key." in text
    assert "The demo’s key, which everybody knows." in text
    assert "Revoke" not in text
    for key in (own, DEMO_KEY):
        row = ApiKey.objects.get(digest=digest_of(key))
        assert as_agent.post(f"{KEYS}{row.pk}/revocation/").status_code == 404
        assert ApiKey.objects.get(pk=row.pk).revoked_at is None
    assert as_agent.get(f"{KEYS}0/revocation/").status_code == 404


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    call_command("api_keys", *arguments)
    return capsys.readouterr().out.strip()


def test_keys_are_made_listed_and_revoked_by_command(loaded: None, capsys: pytest.CaptureFixture[str]) -> None:
    key = said(
        capsys, "create", "--scopes", "entities:read", "--name", "Ledger", "--account", "Larkfield", "--days", "7"
    )
    assert re.fullmatch(r"sk_test_\S+", key)
    number = ApiKey.objects.get().pk
    assert f"{number}: Ledger …{key[-4:]}, active, account Larkfield" in said(capsys, "list")
    assert "never used" in said(capsys, "list")
    Caller(key).get("/catalog")
    assert "last used 2" in said(capsys, "list")
    assert said(capsys, "revoke", str(number)) == f"Key {number} was revoked. What it made stays."
    assert "revoked" in said(capsys, "list")
    with pytest.raises(CommandError, match="There is no key"):
        call_command("api_keys", "revoke", str(number))
    assert audited() == [f"Portal: Made API key {number}: entities:read", f"Portal: Revoked API key {number}"]


def test_the_portals_own_is_replaced_by_command_alone(capsys: pytest.CaptureFixture[str]) -> None:
    before = portal_key()
    own = ApiKey.objects.get().pk
    with pytest.raises(CommandError, match="The portal's own is replaced: api_keys replace"):
        call_command("api_keys", "revoke", str(own))
    assert "within 2 hours" in said(capsys, "replace", "--hours", "2")
    assert portal_key() != before
    assert audited() == [f"Portal: Replaced the portal’s own API key by {ApiKey.objects.latest('pk').pk}"]
