"""Whom a customer knows: everybody of their own other applications, once, with the newest canonical answers."""

from typing import Any

import pytest
from django.contrib.auth import get_user_model

from formation_portal.applications import services
from formation_portal.applications.contacts import Contact, contacts, copyable_answers
from formation_portal.applications.draft import Draft
from formation_portal.contract.fields.text import ONE_NAME
from tests import factories

LTD = {"corporate.name": "Nominees Ltd", "corporate.registration_number": "HE 1", "corporate.country": "CY"}


@pytest.fixture
def owner(db: None) -> Any:
    """A customer whose account has no name, and who is therefore no contact of their own."""
    return factories.person("owner@example.com", "", "")


@pytest.fixture
def earlier(owner: Any) -> Draft:
    """Another application of the same customer."""
    return factories.new_draft(owner)


@pytest.fixture
def latest(owner: Any, earlier: Draft) -> Draft:
    return factories.new_draft(owner)


def labels(known: tuple[Contact, ...]) -> list[str]:
    return [contact.label for contact in known]


def test_everybody_of_other_applications_is_known(draft: Draft, earlier: Draft, owner: Any) -> None:
    services.add_party(earlier, "person", ["director"], factories.ADA, by=owner)
    services.add_party(earlier, "corporate", ["director"], LTD, by=owner)
    services.add_party(earlier, "person", ["director"], {"person.email": "nameless@example.com"}, by=owner)
    assert sorted(labels(contacts(owner, draft))) == ["Ada Lovelace", "Nominees Ltd"]
    assert contacts(owner, earlier) == (), "an application's own people are there already"


def test_one_of_two_applications_is_known_once_with_the_newest_answers(
    draft: Draft, earlier: Draft, latest: Draft, owner: Any
) -> None:
    old = factories.ADA | {"person.email": "", "person.occupation": "x"}
    services.add_party(earlier, "person", ["director"], old, by=owner)
    services.add_party(latest, "person", ["director"], factories.ADA | {"person.first_name": "ADA"}, by=owner)
    [ada] = contacts(owner, draft)
    assert (ada.label, ada.answers["email"], len(ada.sources)) == ("ADA Lovelace", "ada@example.com", 2)


@pytest.mark.parametrize(
    "other",
    [
        {"person.date_of_birth": {"day": "11", "month": "12", "year": "1985"}},
        {"person.date_of_birth": {}, "person.email": "namesake@example.com"},
    ],
    ids=["another birth date", "nothing but another address"],
)
def test_namesakes_are_told_apart(
    draft: Draft, earlier: Draft, latest: Draft, owner: Any, other: dict[str, Any]
) -> None:
    services.add_party(earlier, "person", ["director"], factories.ADA, by=owner)
    services.add_party(latest, "person", ["director"], factories.ADA | other, by=owner)
    assert labels(contacts(owner, draft)) == ["Ada Lovelace", "Ada Lovelace"]


def test_people_of_others_removed_and_deleted_ones_are_not_known(
    draft: Draft, earlier: Draft, owner: Any, other_customer: Any
) -> None:
    theirs = factories.new_draft(other_customer)
    services.add_party(theirs, "person", ["director"], factories.ADA, by=other_customer)
    party = services.add_party(earlier, "person", ["director"], factories.ADA, by=owner)
    services.remove_party(earlier, party, by=owner)
    assert contacts(owner, draft) == ()
    services.restore_party(earlier, party.token, by=owner)
    assert labels(contacts(owner, draft)) == ["Ada Lovelace"]
    services.delete_draft(earlier.application, by=owner)
    assert contacts(owner, draft) == ()


def test_neither_a_declaration_nor_what_the_form_cannot_read_is_copied_from_an_earlier_application(owner: Any) -> None:
    consent = factories.field("consent", "multi_select", canonical_field="person.consent", options=["I consent"])
    options = ["Greek", "Dutch"]
    languages = factories.field("languages", "multi_select", canonical_field="person.languages", options=options)
    directors = factories.SCHEMA["sections"][2]
    directors = directors | {"person_fields": [*directors["person_fields"], consent, languages]}
    earlier, new = (factories.new_draft(owner, schema=factories.SCHEMA | {"sections": [directors]}) for _ in range(2))
    mistyped = {"person.date_of_birth": {"day": "31", "month": "2", "year": "1985"}}
    declared = {"person.consent": ["I consent"], "person.languages": ["Dutch"]}
    services.add_party(earlier, "person", ["director"], factories.ADA | mistyped | declared, by=owner)
    [ada] = contacts(owner, new)
    copied = {"person.first_name", "person.last_name", "person.email", "person.languages"}
    assert set(copyable_answers(new, ada, ["director"])) == copied


def test_the_customer_is_first_with_what_is_known_of_them(draft: Draft, earlier: Draft) -> None:
    ada = get_user_model().objects.create_user("ada@example.com", first_name="Ada", last_name="King-Lovelace")
    mine = factories.new_draft(ada)
    named = factories.ADA | {"person.last_name": "King-Lovelace"}
    services.add_party(mine, "person", ["director"], factories.ADA | {"person.first_name": "Grace"}, by=ada)
    services.add_party(mine, "person", ["director"], named, by=ada)
    new = factories.new_draft(ada)
    me, grace = contacts(ada, new)
    assert (me.is_owner, me.label, grace.label) == (True, "Ada King-Lovelace", "Grace Lovelace")
    assert copyable_answers(new, me, ["director"])["person.date_of_birth"] == factories.ADA["person.date_of_birth"]


def test_a_customer_with_one_name_only_has_no_first_name_as_a_party_either(draft: Draft) -> None:
    sukarno = get_user_model().objects.create_user("su@example.com", last_name="Sukarno")
    [me] = contacts(sukarno, factories.new_draft(sukarno))
    assert (me.label, me.answers["first_name"], me.answers["last_name"]) == ("Sukarno", ONE_NAME, "Sukarno")


def test_reading_it_takes_one_query_however_many_there_are(
    draft: Draft, earlier: Draft, latest: Draft, owner: Any, django_assert_num_queries: Any
) -> None:
    for number in range(5):
        named = factories.ADA | {"person.first_name": f"N{number}"}
        for other in (earlier, latest):
            services.add_party(other, "person", ["director"], named, by=owner)
    with django_assert_num_queries(1):
        assert len(contacts(owner, draft)) == 5
