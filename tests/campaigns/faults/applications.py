"""The applications of a campaign: each submitted, with everything that a documented call can carry."""

from collections.abc import Callable, Iterable
from typing import Any

from django.contrib.auth import get_user_model

from formation_portal.accounts import addresses
from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.contract.catalog import CatalogItem, parse_catalog
from tests import factories
from tests.factories import ITEM, SCHEMA

SECTION, PURPOSE = "the-company", "xy.goods"

# A company of which nothing is asked but what it is: for many entities at little cost.
SHELL: dict[str, Any] = ITEM | {
    "jurisdiction_product_id": "0f9b1a52-0000-4000-8000-00000000fa18",
    "schema": SCHEMA
    | {
        "id": "5c0f6a0e-0000-4000-8000-00000000fa18",
        "sections": [{"scope": "entity", "title": "The company", "fields": SCHEMA["sections"][0]["fields"]}],
    },
}
CATALOG = [ITEM, SHELL]

# What agents do with what needs no correction.
_STEPS = ("begin_review", "approve", "record_incorporation")


def product(item: dict[str, Any] = ITEM) -> CatalogItem:
    (read,) = parse_catalog([item])
    assert isinstance(read, CatalogItem)
    return read


def customer() -> Any:
    person, is_new = get_user_model().objects.get_or_create(
        email="owner@example.com", defaults={"first_name": "Ingrid", "last_name": "Solheim"}
    )
    if is_new:
        addresses.confirm(person)
    return person


def agent() -> Any:
    person, _ = get_user_model().objects.get_or_create(
        email="agent@example.com", defaults={"first_name": "Mira", "last_name": "Okafor"}
    )
    return person


def make(numbers: Iterable[int]) -> None:
    for number in numbers:
        _apply(number, product(), fill)


def make_shells(numbers: Iterable[int]) -> None:
    """One for each number, of a company and nothing else, which agents have taken as far as its number says."""
    for number in numbers:
        _review(_apply(number, product(SHELL), _describe), number)


def make_reviewed(numbers: Iterable[int]) -> None:
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
    factories.save_section(draft, "funds", factories.FUNDS, by=by)
    for name in ("Ordinary", "Preferred"):
        raw = factories.ORDINARY | {"share_class.name": name, "xy.class_rights": f"One vote a share {number}"}
        services.add_share_class(draft, raw, by=by, token=name.lower())
    for token, born in (("mother", "1950"), ("daughter", "1985")):
        raw = factories.ADA | {
            "person.email": f"ada{born}.{number}@example.com",
            "person.date_of_birth": {"day": "10", "month": "12", "year": born},
        }
        services.add_party(draft, "person", ["director", "shareholder"], raw, by=by, token=token)
    company = factories.ORSTED | {"corporate.name": f"Northern {number} Ltd"}
    services.add_party(draft, "corporate", ["shareholder"], company, by=by, token="company")
    held = {("mother", "ordinary"): "6000", ("daughter", "ordinary"): "3000", ("company", "preferred"): str(number + 1)}
    services.save_holdings(draft, held, by=by)
    for token, slot in ((None, "Business plan"), ("mother", "Passport"), ("daughter", "Passport")):
        document = factories.upload(factories.PDF + f"{number} {token} {slot}".encode(), f"{token or 'plan'}.pdf")
        services.add_document(draft, draft.party(token) if token else None, slot, document, by=by)


def _describe(draft: Draft, number: int, *, by: Any, purpose: str = "") -> None:
    # The purpose is asked by the provider: a service of the other make takes no other answer anew.
    answers = {"xy.activity": "Trading", PURPOSE: purpose or f"To hold shares {number}"}
    factories.save_section(draft, SECTION, answers | {"entity.name": f"Larkfield {number}"}, by=by)
