"""The service refuses a value outside a bound of its schema (INTERFACE.md, "Optional members", "Bounds")."""

from datetime import date, timedelta
from typing import Any

import pytest
from django.utils import timezone

from formation_portal.service.catalog.loader import store_catalog
from formation_portal.service.models import Entity
from tests.encrypted_rows import update_each
from tests.service import example_catalog
from tests.service.caller import Caller, problem

pytestmark = pytest.mark.django_db(databases=["service"])

DIRECTOR = {"party_type": "person", "first_name": "Ada", "last_name": "Byron", "roles": ["director"]}
ADULT, CHILD = "1985-03-27", "2020-01-01"


@pytest.fixture
def caller(caller: Caller) -> Caller:
    """The account, with a catalog that states bounds."""
    items = example_catalog.items()
    company, directors, *_ = items[0]["schema"]["sections"]
    fields = {field["key"]: field for field in company["fields"]}
    fields["staff"] |= {"minimum": 1, "maximum": 50, "integer": True}
    fields["capital"] |= {"minimum": 20000}
    fields["purpose"] |= {"max_length": 12}
    fields["markets"] |= {"maximum": 1}
    directors["person_fields"][0] |= {"minimum_age": 18, "bound_message": "Directors must be 18 or older"}
    store_catalog(items)
    return caller


@pytest.mark.parametrize(
    ("key", "value", "code", "detail"),
    [
        ("staff", 0, "too_small", "bvi.staff must be from 1 to 50"),
        (
            "capital",
            {"amount": 19999.99, "currency": "USD"},
            "too_small",
            "bvi.capital must be USD\xa020,000.00 or more",
        ),
        ("markets", ["Europe", "Asia"], "too_many_options", "Choose at most 1 answer to bvi.markets"),
    ],
)
def test_an_answer_outside_a_bound_is_refused_and_the_old_one_stays(
    caller: Caller, key: str, value: Any, code: str, detail: str
) -> None:
    entity = caller.entity()
    good = {"staff": 7, "capital": {"amount": 20000, "currency": "USD"}, "markets": ["Asia"]}
    assert caller.answers(entity, **good).status_code == 200
    answer = caller.answers(entity, **{key: value})
    [error] = problem(answer, 422, "validation_failed", f"/csp_data/bvi.{key}")["errors"]
    assert (error["field"], error["code"], error["detail"]) == (f"bvi.{key}", code, detail)
    kept = caller.get(f"/entities/{entity}/csp-data").json()["data"]["csp_data"]
    assert {name: kept[f"bvi.{name}"] for name in good} == good


def test_a_text_that_is_too_long_is_refused_on_creation_and_change(caller: Caller) -> None:
    product = {"jurisdiction_product_id": example_catalog.SHARES_PRODUCT}
    created = caller.post("/entities", {**product, "company": {"purpose": "thirteen char"}})
    entity = caller.entity(company={"purpose": "twelve chars"})
    changed = caller.patch(f"/entities/{entity}", {"company": {"purpose": "thirteen char"}})
    for answer in (created, changed):
        [error] = problem(answer, 422, "validation_failed", "/company/purpose")["errors"]
        assert error["code"] == "too_long"


def test_a_director_is_of_age_and_a_shareholder_need_not_be(caller: Caller) -> None:
    entity = caller.entity()
    answer = caller.post(f"/entities/{entity}/parties", {**DIRECTOR, "date_of_birth": CHILD})
    [error] = problem(answer, 422, "validation_failed", "/date_of_birth")["errors"]
    assert error["code"] == "too_young"
    assert error["detail"].startswith("Directors must be 18 or older. 1\u00a0January\u00a02020 makes this person ")
    party = caller.person(entity, "shareholder", date_of_birth=CHILD)
    answer = caller.patch(f"/entities/{entity}/parties/{party}", {"roles": ["director"], "date_of_birth": CHILD})
    assert problem(answer, 422, "validation_failed")["errors"][0]["code"] == "too_young"
    changed = caller.patch(f"/entities/{entity}/parties/{party}", {"roles": ["director"], "date_of_birth": ADULT})
    assert changed.status_code == 200


def test_ages_are_judged_on_the_day_of_the_first_submission(caller: Caller) -> None:
    entity = caller.entity(name="Larkfield Limited")
    update_each(Entity.objects.filter(id=entity), first_submitted_at=timezone.now() - timedelta(days=400))
    born = date.today() - timedelta(days=round(18.5 * 365.25))
    answer = caller.post(f"/entities/{entity}/parties", {**DIRECTOR, "date_of_birth": str(born)})
    assert problem(answer, 422, "validation_failed")["errors"][0]["code"] == "too_young"
    other = caller.entity(name="Kestrel Limited")
    assert caller.post(f"/entities/{other}/parties", {**DIRECTOR, "date_of_birth": str(born)}).status_code == 201
