"""An application whose director is known by numbers: one long, one short; and a company, whose number is public."""

from copy import deepcopy
from typing import Any

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.reviews.queries import draft_query
from formation_portal.reviews.targets import Target
from formation_portal.reviews.transactions import current_version
from tests import factories
from tests.desk.review_rounds import change_ada

PASSPORT_NUMBER = Target.of_field("ada", "person.passport_number")
TAX_NUMBER = Target.of_field("ada", "person.tax_number")
LONG, SHORT, PUBLIC = "QX 7394 1821", "K4921", "REG 5566 7788"
NUMBERS = {"person.passport_number": LONG, "person.tax_number": SHORT}


def schema() -> dict[str, Any]:
    """The small product's, with numbers of people and of companies."""
    asked = deepcopy(factories.SCHEMA)
    directors = next(one for one in asked["sections"] if one["scope"] == "role:director")
    for name in ("passport_number", "tax_number"):
        directors["person_fields"].append(factories.field(name, canonical_field=f"person.{name}", required=False))
    number = factories.field("registration_number", canonical_field="corporate.registration_number", required=False)
    directors["corporate_fields"] = [number]
    return asked


def submitted_with_numbers(owner: Any) -> Draft:
    draft = open_draft(services.start(owner=owner, product=factories.product(schema=schema())))
    factories.fill_in(draft, owner)
    number(draft, NUMBERS, owner)
    asked = draft.schema.fields_of("corporate", ["director"])
    kestrel = {one.name: "Kestrel Capital B.V." for one in asked if one.required and one.field_type == "text"}
    kestrel |= {"corporate.registration_number": PUBLIC}
    services.add_party(draft, "corporate", ["director"], kestrel, by=owner, token="kestrel")
    services.add_document(draft, draft.party("kestrel"), "Register extract", factories.upload(), by=owner)
    assert draft.needs == ()
    services.submit(draft, by=owner)
    return draft


def number(draft: Draft, numbers: dict[str, str], owner: Any) -> None:
    change_ada(draft, owner, numbers)


def propose(draft: Draft, passport_number: str, agent: Any) -> None:
    there = factories.again(draft)
    values = {"text": "Is it this?", "proposal": passport_number}
    draft_query(there, PASSPORT_NUMBER, **values, by=agent, version=current_version(there.application))
