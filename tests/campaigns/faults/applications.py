"""The applications of a campaign: each submitted, with everything that a documented call can carry."""

from collections.abc import Callable, Iterable
from typing import Any

from django.contrib.auth import get_user_model

from formation_portal.accounts import addresses
from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.contract.catalog import CatalogItem, parse_catalog
from tests.factories import ITEM as SMALL
from tests.factories import PDF, SCHEMA, field, upload

_NAMES = (
    field("first_name", canonical_field="person.first_name"),
    field("last_name", canonical_field="person.last_name"),
    field("date_of_birth", "date", canonical_field="person.date_of_birth"),
)
_PASSPORT = {"person": [{"name": "Passport", "required": True}]}

# Answers and documents of every scope, and two classes of shares.
ITEM: dict[str, Any] = SMALL | {
    "jurisdiction_product_id": "0f9b1a52-0000-4000-8000-00000000fa17",
    "schema": SCHEMA
    | {
        "id": "5c0f6a0e-0000-4000-8000-00000000fa17",
        "sections": [
            {
                "scope": "entity",
                "title": "The company",
                "fields": [
                    field("name", canonical_field="entity.name"),
                    field("activity", "select", options=["Holding company", "Trading"]),
                    field("purpose", "textarea", required=False),
                ],
                "documents": {"entity": [{"name": "Business plan", "required": True}]},
            },
            {
                "scope": "role:director",
                "title": "Directors",
                "minimum": 1,
                "person_fields": [*_NAMES, field("is_pep", "boolean", prefix="xy.person")],
                "documents": _PASSPORT,
            },
            {
                "scope": "role:shareholder",
                "title": "Shareholders",
                "minimum": 1,
                "allows_corporate": True,
                "person_fields": [*_NAMES],
                "corporate_fields": [
                    field("name", canonical_field="corporate.name"),
                    field("is_listed", "boolean", prefix="xy.corporate"),
                ],
                "documents": _PASSPORT,
            },
            {
                "scope": "share_structure",
                "title": "Share classes",
                "fields": [field("class_rights", "textarea")],
            },
        ],
    },
}

SECTION = "the-company"

# A company of which nothing is asked but what it is: for many entities at little cost.
SHELL: dict[str, Any] = SMALL | {
    "jurisdiction_product_id": "0f9b1a52-0000-4000-8000-00000000fa18",
    "schema": SCHEMA
    | {
        "id": "5c0f6a0e-0000-4000-8000-00000000fa18",
        "sections": [{"scope": "entity", "title": "The company", "fields": ITEM["schema"]["sections"][0]["fields"]}],
    },
}
CATALOG = [ITEM, SHELL]

# What agents do with what needs no correction.
_STEPS = ("begin_review", "approve", "record_incorporation")


def product(item: dict[str, Any] = ITEM) -> CatalogItem:
    """The product as the portal reads it."""
    (read,) = parse_catalog([item])
    assert isinstance(read, CatalogItem)
    return read


def customer() -> Any:
    """Whose applications they are, with a confirmed address."""
    person, is_new = get_user_model().objects.get_or_create(
        email="owner@example.com", defaults={"first_name": "Ingrid", "last_name": "Solheim"}
    )
    if is_new:
        addresses.confirm(person)
    return person


def agent() -> Any:
    """Who reviews them."""
    person, _ = get_user_model().objects.get_or_create(
        email="agent@example.com", defaults={"first_name": "Mira", "last_name": "Okafor"}
    )
    return person


def make(numbers: Iterable[int]) -> None:
    """One submitted application for each number, with everything."""
    for number in numbers:
        _apply(number, product(), fill)


def make_shells(numbers: Iterable[int]) -> None:
    """One for each number, of a company and nothing else, which agents have taken as far as its number says."""
    for number in numbers:
        _review(_apply(number, product(SHELL), _describe), number)


def make_reviewed(numbers: Iterable[int]) -> None:
    """The same, with everything."""
    for number in numbers:
        _review(_apply(number, product(), fill), number)


def _apply(number: int, item: CatalogItem, fill_in: Callable[..., None]) -> Draft:
    owner = customer()
    draft = open_draft(services.start(owner=owner, product=item))
    fill_in(draft, number, by=owner)
    services.submit(draft, by=owner)
    return draft


def _review(draft: Draft, number: int) -> None:
    """Every second one is returned, corrected and submitted again; then it goes as many steps as the number says."""
    owner, reviewer = customer(), agent()
    if number % 2:
        services.advance(draft, "begin_review", by=reviewer)
        services.advance(draft, "return", by=reviewer, note=f"Say more, please, of number {number}")
        _describe(draft, number, by=owner, purpose=f"To hold and vote shares {number}")
        services.submit(draft, by=owner)
    for transition in _STEPS[: number // 2 % (len(_STEPS) + 1)]:
        services.advance(draft, transition, by=reviewer)


def fill(draft: Draft, number: int, *, by: Any) -> None:
    """Two namesakes and a company, two classes, three documents, three holdings."""
    _describe(draft, number, by=by)
    services.add_share_class(draft, _share_class("Ordinary", number), by=by, token="ordinary")
    services.add_share_class(draft, _share_class("Preferred", number), by=by, token="preferred")
    for token, born in (("mother", "1950"), ("daughter", "1985")):
        services.add_party(draft, "person", ["director", "shareholder"], _person(born, number), by=by, token=token)
    services.add_party(draft, "corporate", ["shareholder"], _company(number), by=by, token="company")
    held = {("mother", "ordinary"): "6000", ("daughter", "ordinary"): "3000", ("company", "preferred"): str(number + 1)}
    services.save_holdings(draft, held, by=by)
    for token, slot in ((None, "Business plan"), ("mother", "Passport"), ("daughter", "Passport")):
        document = upload(PDF + f"{number} {token} {slot}".encode(), f"{token or 'plan'}.pdf")
        services.add_document(draft, draft.party(token) if token else None, slot, document, by=by)


def _describe(draft: Draft, number: int, *, by: Any, purpose: str = "") -> None:
    section = draft.schema.section(SECTION)
    assert section is not None
    purpose = purpose or f"To hold shares {number}"
    answers = {"entity.name": f"Larkfield {number}", "xy.activity": "Trading", "xy.purpose": purpose}
    services.save_section(draft, section, answers, version=draft.version(SECTION), by=by)


def _person(born: str, number: int) -> dict[str, Any]:
    return {
        "person.first_name": "Ada",
        "person.last_name": "Lovelace",
        "person.email": f"ada{born}.{number}@example.com",
        "person.date_of_birth": {"day": "10", "month": "12", "year": born},
        "xy.person.is_pep": "false",
    }


def _company(number: int) -> dict[str, Any]:
    return {"corporate.name": f"Northern {number} Ltd", "xy.corporate.is_listed": "true"}


def _share_class(name: str, number: int) -> dict[str, Any]:
    return {
        "share_class.name": name,
        "share_class.currency": "USD",
        "share_class.par_value": "1",
        "share_class.voting_rights": "true",
        "share_class.dividend_rights": "true",
        "xy.class_rights": f"One vote a share {number}",
    }
