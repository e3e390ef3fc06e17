"""A guest takes a big choice back as its owner would, at the part's own address, and hears of no other answers."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.access import Guest
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application, Change
from formation_portal.invitations import parts
from formation_portal.invitations.models import Invitation, InvitationStage
from tests import factories
from tests.portal.pages import page_at
from tests.portal.sharing.test_part import let_in, stage, stored, url

pytestmark = pytest.mark.django_db(databases=["default", "service"])

NO: dict[str, str] = {"q:xy.person.is_pep": "false"}
SAYS = "No longer needed because of this answer: 6 answers."
# Six of these answers hang on the first.
PEP = factories.ADA | {"xy.person.is_pep": "true"} | {f"xy.person.post_{number}": "Mayor" for number in range(6)}


def with_rules(owner: Any) -> Draft:
    """A form whose questions to a director hang on the company's answers, and on one of the director's own."""
    company, funds, directors, shareholders, managers, shares = factories.SCHEMA["sections"]
    managers = managers | {"person_fields": [factories.field("department", prefix="xy.person")]}
    licence = factories.field("licence", prefix="xy.person", depends_on={"field": "activity", "value": "Trading"})
    own = [
        factories.field(f"post_{number}", prefix="xy.person", depends_on={"field": "is_pep", "value": True})
        for number in range(6)
    ]
    directors = directors | {"person_fields": [*directors["person_fields"][:4], licence, *own]}
    form = factories.SCHEMA | {"sections": [company, funds, directors, shareholders, managers, shares]}
    draft = factories.new_draft(owner, schema=form)
    factories.save_section(draft, "the-company", {"xy.activity": "Trading"}, by=owner)
    services.add_party(draft, "person", ["director", "manager"], PEP, by=owner)
    return draft


@pytest.fixture
def invitation(owner: Any) -> Invitation:
    draft = with_rules(owner)
    return parts.invite(draft, draft.parties[0], email="ada@example.com", by=owner, language="en")


@pytest.fixture
def guest(invitation: Invitation) -> Client:
    return let_in(Client(), invitation)


def choose(guest: Client, invitation: Invitation, *, is_by_script: bool = False, **more: str) -> Any:
    post = {"version": str(stored(invitation).version)} | NO | more
    return guest.post(url(invitation), post, headers={"HX-Request": "true"} if is_by_script else {})


def undo_url(invitation: Invitation) -> str:
    changes = Change.objects.filter(application=invitation.application_id, who=None)
    number = next(one.pk for one in changes.order_by("-pk") if one.changes)
    return url(invitation, f"changes/{number}/restoration/")


def is_pep(invitation: Invitation) -> str:
    return str(stored(invitation).raw["xy.person.is_pep"])


@pytest.mark.parametrize("button", ["done", ""])
def test_without_script_the_page_that_follows_offers_it(guest: Client, invitation: Invitation, button: str) -> None:
    response = choose(guest, invitation, **({button: "1"} if button else {}))
    page = page_at(guest, response["Location"])
    [form] = page.all("form", action=undo_url(invitation))
    assert SAYS in form.ancestors[-1].text
    assert guest.get(undo_url(invitation))["Location"] == url(invitation)
    assert is_pep(invitation) == "false", "looking takes nothing back"
    assert guest.post(undo_url(invitation))["Location"] == url(invitation)
    assert is_pep(invitation) == "true"
    assert stage(invitation) is InvitationStage.IN_PROGRESS
    assert "“Is pep” has been changed back." in guest.get(url(invitation)).content.decode()


def test_what_was_answered_again_stays(guest: Client, invitation: Invitation) -> None:
    choose(guest, invitation)
    address = undo_url(invitation)
    saved = {"version": str(stored(invitation).version), "q:xy.person.is_pep": ""}
    guest.post(url(invitation), saved)
    guest.post(address)
    assert "xy.person.is_pep" not in stored(invitation).raw
    assert "has been answered again since" in guest.get(url(invitation)).content.decode()


def test_only_choices_made_here_are_taken_back(guest: Client, invitation: Invitation, owner: Any) -> None:
    """Neither what the owner has changed, nor what another guest has."""
    draft = open_draft(Application.objects.get(pk=invitation.application_id))
    services.save_party(draft, draft.parties[0], {"xy.person.is_pep": "false"}, version=1, by=owner)
    theirs = draft.application.changes.latest("pk").pk
    bob = services.add_party(draft, "person", ["director"], PEP, by=owner)
    services.save_party(draft, bob, {"xy.person.is_pep": "false"}, version=1, by=Guest())
    anothers = draft.application.changes.latest("pk").pk
    for number in (theirs, anothers, 0):
        assert guest.post(url(invitation, f"changes/{number}/restoration/")).status_code == 404
    assert is_pep(invitation) == "false"


def test_nobody_without_the_code_takes_anything_back(
    guest: Client, invitation: Invitation, as_nobody: Client, as_other_customer: Client
) -> None:
    choose(guest, invitation)
    for client in (as_nobody, as_other_customer):
        assert client.post(undo_url(invitation)).status_code == 404
    assert is_pep(invitation) == "false"


def test_a_choice_that_makes_much_inactive_counts_nobody_elses_answers_and_leads_nowhere_else(
    guest: Client, invitation: Invitation, owner: Any
) -> None:
    draft = open_draft(Application.objects.get(pk=invitation.application_id))
    services.add_party(draft, "person", ["director"], PEP, by=owner)
    answer = choose(guest, invitation, is_by_script=True).content.decode()
    assert SAYS in answer
    assert "/applications/" not in answer
    assert stored(invitation).raw["xy.person.post_0"] == "Mayor"


def test_a_question_that_hangs_on_others_answers_shows_and_does_not_say_why(
    guest: Client, invitation: Invitation
) -> None:
    page = page_at(guest, url(invitation))
    assert "hidden" not in page.one("div", id="region-q:xy.person.licence").attributes
    assert "Trading" not in guest.get(url(invitation)).content.decode()
    # Its own answer may be named.
    assert "Is pep" in page.one("div", id="region-q:xy.person.post_0").text
