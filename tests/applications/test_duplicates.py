"""The check for duplicates: who seems to be there already, and making one of two without losing anything."""

from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.contacts import duplicate_of, duplicates
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Change
from formation_portal.applications.ownership_stakes import owned_companies, typed_stakes
from formation_portal.applications.parties import PartyRow
from tests import factories

LTD = {"corporate.name": "Nominees Ltd", "corporate.registration_number": "HE 1", "corporate.country": "CY"}
BORN = {"person.date_of_birth": factories.ADA["person.date_of_birth"]}
NAMED = {"person.first_name": "ada", "person.last_name": "LOVELACE"}


def row(draft: Draft, token: str) -> PartyRow:
    found = draft.party(token)
    assert found is not None
    return found


@pytest.fixture
def twice(complete: Draft, owner: Any) -> Draft:
    """Ada complete, and once more as a shareholder only."""
    services.add_party(complete, "person", ["shareholder"], NAMED | BORN, by=owner, token="again")
    return complete


def test_the_same_name_and_birth_date_are_noticed(twice: Draft) -> None:
    ada = twice.parties[0]
    assert duplicate_of(twice, row(twice, "again")) == ada
    assert duplicates(twice) == {"again": ada}


def test_the_same_registration_number_and_country_are_noticed(draft: Draft, owner: Any) -> None:
    services.add_party(draft, "corporate", ["director"], LTD, by=owner, token="one")
    services.add_party(draft, "corporate", ["shareholder"], LTD | {"corporate.name": "Other"}, by=owner, token="two")
    assert [one.token for one in duplicates(draft).values()] == ["one"]
    assert list(duplicates(draft)) == ["two"]


def test_those_who_are_kept_apart_are_not_asked_about_again(twice: Draft, owner: Any) -> None:
    services.keep_both(twice, row(twice, "again"), twice.parties[0], by=owner)
    now = factories.again(twice)
    assert duplicates(now) == {}
    assert duplicate_of(now, now.parties[0]) is None
    assert len(now.parties) == 2
    count = Change.objects.count()
    services.keep_both(now, row(now, "again"), now.parties[0], by=owner)
    assert Change.objects.count() == count


def test_one_entry_takes_what_it_lacks_and_keeps_what_it_has(draft: Draft, owner: Any) -> None:
    mine = {**NAMED, **BORN, "person.email": "new@example.com"}
    services.add_party(draft, "person", ["shareholder"], mine, by=owner, token="first")
    services.add_party(draft, "person", ["director"], factories.ADA, by=owner, token="second")
    share_class = factories.new_share_class(draft, factories.ORDINARY, by=owner)
    other = factories.new_share_class(draft, factories.ORDINARY | {"share_class.name": "B"}, by=owner)
    numbers = {("first", share_class.token): "1", ("second", share_class.token): "2", ("second", other.token): "3"}
    services.save_holdings(draft, numbers, by=owner)
    services.add_document(draft, row(draft, "second"), "Passport", factories.upload(), by=owner)
    services.merge_parties(draft, row(draft, "second"), row(draft, "first"), by=owner)
    for now in (draft, factories.again(draft)):
        [one] = now.parties
        assert (one.token, one.roles) == ("first", ("director", "shareholder"))
        assert (one.raw["person.email"], one.raw["person.first_name"]) == ("new@example.com", "ada")
        assert one.raw["xy.person.is_pep"] == "false"
        assert now.typed_holdings() == {("first", share_class.token): "1", ("first", other.token): "3"}
        assert [(document.slot, document.subject) for document in now.documents] == [("Passport", "first/Passport")]
    restored = services.restore_party(draft, "second", by=owner)
    assert restored.raw["person.email"] == "ada@example.com", "nothing typed is lost"
    assert draft.typed_holdings()["second", share_class.token] == "2"


def test_a_document_in_a_slot_that_is_taken_stays_with_its_own(complete: Draft, owner: Any) -> None:
    again = services.add_party(complete, "person", ["director"], NAMED | BORN, by=owner, token="again")
    services.add_document(complete, again, "Passport", factories.upload(name="other.pdf"), by=owner)
    services.merge_parties(complete, row(complete, "again"), complete.parties[0], by=owner)
    assert [document.name for document in complete.documents] == ["passport.pdf"]


def test_the_owners_of_one_and_what_it_owns_go_with_it(draft: Draft, owner: Any) -> None:
    for token, name in (("one", "Kestrel Ltd"), ("two", "Kestrel Limited"), ("kite", "Kite Ltd"), ("owl", "Owl Ltd")):
        services.add_party(draft, "corporate", ["shareholder"], {"corporate.name": name}, by=owner, token=token)
    services.save_owners(draft, row(draft, "one"), {"kite": "10%"}, by=owner)
    services.save_owners(draft, row(draft, "two"), {"kite": "20%", "owl": "30%", "one": "5%"}, by=owner)
    services.save_owners(draft, row(draft, "owl"), {"two": "40%"}, by=owner)
    services.merge_parties(draft, row(draft, "two"), row(draft, "one"), by=owner)
    assert typed_stakes(factories.again(draft)) == {
        ("one", "kite"): "10%",
        ("one", "owl"): "30%",
        ("owl", "one"): "40%",
    }
    assert [one.token for one in owned_companies(draft, typed_stakes(draft))] == ["one", "owl"]
