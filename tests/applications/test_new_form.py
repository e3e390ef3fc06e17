"""Taking a new form over loses no answer, moves each to its section, and is told from pages of the old form."""

from copy import deepcopy
from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.services.exceptions import FormChanged
from formation_portal.applications.transfer import lost_answers
from formation_portal.contract.catalog import CatalogItem
from tests import factories

pytestmark = pytest.mark.django_db


def newer() -> CatalogItem:
    """The product a version later: another title, an option and a question less, a question more, other roles."""
    schema = deepcopy(factories.SCHEMA)
    schema["version"] = "4"
    company, funds, *roles = schema["sections"]
    company["title"] = "About the company"
    company["fields"] = [one for one in company["fields"] if one["key"] != "purpose"]
    for section in (company, funds):
        for one in section["fields"]:
            if one["key"] == "activity":
                one["options"] = ["Trading"]
    company["fields"].append(factories.field("seat"))
    return factories.product(
        schema={**schema, "sections": [company, funds, *roles]}, price={"one_off": 1, "currency": "USD"}
    )


@pytest.fixture
def purposeful(complete: Draft, owner: Any) -> Draft:
    answers = {"charter.purpose": "Holding shares"}
    factories.save_section(complete, "the-company", answers, by=owner)
    return complete


def test_what_would_no_longer_count_is_listed_and_stays_as_typed_in_its_section(purposeful: Draft, owner: Any) -> None:
    title, typed = "Larkfield Holdings", dict(purposeful.entity_raw)
    assert set(lost_answers(purposeful, newer().form)) == {(title, "Purpose", False), (title, "Activity", True)}
    assert lost_answers(purposeful, purposeful.schema) == []
    services.adopt_form(purposeful, product=newer(), by=owner)
    kept = factories.again(purposeful)
    assert kept.schema.version == "4"
    assert int(kept.application.product["price"]["one_off"]) == 1
    assert kept.entity_raw == typed
    assert kept.sections["about-the-company"].raw["entity.name"] == "Larkfield Holdings"
    assert kept.sections["the-company"].raw == {"charter.purpose": "Holding shares"}
    assert [need.text for need in kept.needs][:1] == ["Choose one of these for “Activity”: Trading"]
    assert purposeful.needs == kept.needs


def test_a_page_of_the_old_form_overwrites_nothing(purposeful: Draft, owner: Any) -> None:
    seen = purposeful.version("funds")
    ada, seen_ada = purposeful.parties[0], purposeful.parties[0].version
    services.adopt_form(purposeful, product=newer(), by=owner)
    of_section = factories.save_section(purposeful, "funds", {"xy.activity": "Trading"}, by=owner, version=seen)
    of_party = services.save_party(purposeful, ada, {"person.first_name": "Bo"}, version=seen_ada, by=owner)
    assert (of_section.changes, of_party.changes) == ((), ())
    assert (of_section.conflicts.keys(), of_party.conflicts.keys()) == ({"xy.activity"}, {"person.first_name"})


def test_a_draft_that_was_opened_before_writes_nothing(purposeful: Draft, owner: Any) -> None:
    late = factories.again(purposeful)
    for _ in range(2):
        services.adopt_form(purposeful, product=newer(), by=owner)
    with pytest.raises(FormChanged):
        factories.save_section(late, "the-company", {"entity.name": "Late"}, by=owner)
    kept = factories.again(purposeful)
    assert (kept.schema.version, kept.entity_raw["entity.name"]) == ("4", "Larkfield Holdings")
    entries = [change.what for change in kept.application.changes.all()]
    assert entries.count("Moved to the new form, version 4") == 1, "a second press says nothing more"
