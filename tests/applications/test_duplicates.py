"""The check for duplicates: who seems to be there already, and making one of two without losing anything."""

from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.contacts import duplicate_of, duplicates
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Change
from formation_portal.applications.ownership_stakes import owned_companies, typed_stakes
from tests import factories

LTD = {"corporate.name": "Nominees Ltd", "corporate.registration_number": "HE 1", "corporate.country": "CY"}
BORN = {"person.date_of_birth": factories.ADA["person.date_of_birth"]}
NAMED = {"person.first_name": "ada", "person.last_name": "LOVELACE"}


@pytest.fixture
def twice(complete: Draft, owner: Any) -> Draft:
    """Ada complete, and once more without a passport."""
    services.add_party(complete, "person", ["director", "shareholder"], NAMED | BORN, by=owner, token="again")
    return complete


def test_the_same_name_and_birth_date_are_noticed_until_the_two_are_kept_apart(twice: Draft, owner: Any) -> None:
    ada = twice.parties[0]
    assert duplicate_of(twice, twice.party("again")) == ada
    assert duplicates(twice) == {"again": ada}
    services.keep_both(twice, twice.party("again"), ada, by=owner)
    now, entries = factories.again(twice), Change.objects.count()
    assert duplicates(now) == {}
    assert duplicate_of(now, now.parties[0]) is None
    assert len(now.parties) == 2
    services.keep_both(now, now.party("again"), now.parties[0], by=owner)
    assert Change.objects.count() == entries


def test_the_same_registration_number_and_country_are_noticed(draft: Draft, owner: Any) -> None:
    services.add_party(draft, "corporate", ["director"], LTD, by=owner, token="one")
    services.add_party(draft, "corporate", ["shareholder"], LTD | {"corporate.name": "Other"}, by=owner, token="two")
    assert {token: other.token for token, other in duplicates(draft).items()} == {"two": "one"}


def test_one_entry_takes_what_it_lacks_and_keeps_what_it_has(draft: Draft, owner: Any) -> None:
    mine = {**NAMED, **BORN, "person.email": "new@example.com"}
    services.add_party(draft, "person", ["shareholder"], mine, by=owner, token="first")
    services.add_party(draft, "person", ["director"], factories.ADA, by=owner, token="second")
    services.add_share_class(draft, factories.ORDINARY, by=owner, token="a")
    services.add_share_class(draft, factories.ORDINARY | {"share_class.name": "B"}, by=owner, token="b")
    services.save_holdings(draft, {("first", "a"): "1", ("second", "a"): "2", ("second", "b"): "3"}, by=owner)
    services.add_document(draft, draft.party("second"), "Passport", factories.upload(), by=owner)
    services.merge_parties(draft, draft.party("second"), draft.party("first"), by=owner)
    for now in (draft, factories.again(draft)):
        [party] = now.parties
        assert (party.token, party.roles) == ("first", ("director", "shareholder"))
        assert party.raw == {**mine, "xy.person.is_pep": "false"}
        assert now.typed_holdings() == {("first", "a"): "1", ("first", "b"): "3"}
        assert [(document.slot, document.subject) for document in now.documents] == [("Passport", "first/Passport")]
    restored = services.restore_party(draft, "second", by=owner)
    assert restored.raw["person.email"] == "ada@example.com", "nothing typed is lost"
    assert draft.typed_holdings()["second", "a"] == "2"


def test_a_document_in_a_slot_that_is_taken_stays_with_its_own(twice: Draft, owner: Any) -> None:
    services.add_document(twice, twice.party("again"), "Passport", factories.upload(name="other.pdf"), by=owner)
    services.merge_parties(twice, twice.party("again"), twice.parties[0], by=owner)
    assert [document.name for document in twice.documents] == ["passport.pdf"]


def test_the_owners_of_one_and_what_it_owns_go_with_it(draft: Draft, owner: Any) -> None:
    for token, name in (("one", "Kestrel Ltd"), ("two", "Kestrel Limited"), ("kite", "Kite Ltd"), ("owl", "Owl Ltd")):
        services.add_party(draft, "corporate", ["shareholder"], {"corporate.name": name}, by=owner, token=token)
    services.save_owners(draft, draft.party("one"), {"kite": "10%"}, by=owner)
    services.save_owners(draft, draft.party("two"), {"kite": "20%", "owl": "30%", "one": "5%"}, by=owner)
    services.save_owners(draft, draft.party("owl"), {"two": "40%"}, by=owner)
    services.merge_parties(draft, draft.party("two"), draft.party("one"), by=owner)
    stakes = typed_stakes(factories.again(draft))
    assert stakes == {("one", "kite"): "10%", ("one", "owl"): "30%", ("owl", "one"): "40%"}
    assert [company.token for company in owned_companies(draft, typed_stakes(draft))] == ["one", "owl"]
