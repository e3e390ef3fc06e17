"""The bounds of every form (INTERFACE.md, "Optional members") as `GET /catalog` gives them."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from formation_portal.service.catalog.loader import store_catalog
from tests.embedded_catalog import catalog_items
from tests.service.caller import Caller

from .conftest import Json, asked_in, name_of, sections_of

EXPECTED: Json = yaml.safe_load((Path(__file__).parent / "bounds.yaml").read_text("utf-8"))
PRODUCTS: dict[str, Json] = EXPECTED["products"]


FIELD_MEMBERS = {
    "minimum", "maximum", "integer", "decimals", "minimum_age", "maximum_age", "max_length", "bound_message",
}  # fmt: skip
SECTION_MEMBERS = {"maximum", "total", "bound_message"}

NO_LEAST_CAPITAL = "the facts know no least capital, and an amount is never below zero"
# Numbers and dates without a bound, with the reason; True stands for all products.
UNBOUNDED: dict[str, tuple[set[str] | bool, str]] = {
    "entity.initial_capital": (
        {
            "panama-corporation-sociedad-anonima", "belize-international-llc", "hk-limited-company", "nevis-ibc",
            "seychelles-ibc", "bahamas-ibc", "delaware-llc", "wyoming-c-corp", "delaware-c-corp", "wyoming-llc",
            "exempted-limited-company", "rak-icc-holding", "new-york-llc", "curacao-bv", "anjouan-ibc",
            "florida-llc", "texas-llc",
        },
        NO_LEAST_CAPITAL,
    ),
    "cayman.share_capital": (True, NO_LEAST_CAPITAL),
    "party.capital_contribution": (True, NO_LEAST_CAPITAL),
    "person.date_of_birth": (True, "every date of birth lies in the past, and its holder is under 120"),
    "person.passport_expiry": (True, "an expired passport is advice"),
    "florida.delayed_effective_date": (True, "its limits count from the day of filing, which nobody knows before"),
}  # fmt: skip


NUMBERS = {"one": 1, "three": 3, "twelve": 12}
PROMISES = re.compile(r"at least|up to|no more than|exactly|\b18\b|minors|is enough|add up to|to twelve", re.IGNORECASE)
# Promises that a bound cannot keep: they count parties (a section's minimum), compare answers or only inform.
NOT_OF_ONE_ANSWER = re.compile(
    r"[Aa]t least (?:one|two|three|the founder)|exactly (?:one partner|one member|as you want)|"
    r"must add up to this number|One class is enough|Up to USD 50,000|up to 5,000 shares|up to EUR 3,000|"
    r"up to 10 full-time|up to five names|up to 50 debenture|at least AED 50,000|no more than 25 directorships"
)


def bounds_of(field: Json) -> Json:
    """Return a field's bounds. A limit that is the same in each allowed currency is one number."""
    bounds = {name: value for name, value in field.items() if name in FIELD_MEMBERS}
    currencies = field.get("allowed_currencies", [])
    for name in ("minimum", "maximum"):
        limits = bounds.get(name)
        if isinstance(limits, dict) and set(limits) == set(currencies) and len(set(limits.values())) == 1:
            bounds[name] = limits[currencies[0]]
    return bounds


def role_of(section: Json) -> str:
    return str(section["scope"]).partition(":")[2]


def expected_bounds(slug: str, section: Json, name: str) -> Json:
    product = PRODUCTS[slug]
    bounds: Json = product.get("fields", {}).get(name, EXPECTED["everywhere"].get(name, {}))
    people = product["adults"].get(role_of(section))
    if people and name == "person.date_of_birth":
        return bounds | {"minimum_age": 18, "bound_message": f"{people} must be 18 or older"}
    return bounds


def test_each_question_has_the_bounds_of_the_table(by_slug: dict[str, Json]) -> None:
    assert set(PRODUCTS) == set(by_slug)
    for slug, item in by_slug.items():
        for asked in asked_in(item):
            name = name_of(asked.field)
            assert bounds_of(asked.field) == expected_bounds(slug, asked.section, name), (slug, name)


def test_each_role_has_the_most_parties_and_the_total_of_the_table(by_slug: dict[str, Json]) -> None:
    for slug, product in PRODUCTS.items():
        for section in sections_of(by_slug[slug]):
            expected: Json = {}
            if role_of(section) in product.get("most", {}):
                expected["maximum"], expected["bound_message"] = product["most"][role_of(section)]
            if role_of(section) in product.get("shared_out", {}):
                expected["total"] = product["shared_out"][role_of(section)]
            assert {name: value for name, value in section.items() if name in SECTION_MEMBERS} == expected, slug


def test_every_number_and_date_has_a_bound_or_a_reason(by_slug: dict[str, Json]) -> None:
    unbounded: dict[str, set[str]] = {}
    for slug, item in by_slug.items():
        for asked in asked_in(item):
            if asked.field["field_type"] in ("number", "currency_amount", "date") and not bounds_of(asked.field):
                unbounded.setdefault(name_of(asked.field), set()).add(slug)
    assert set(unbounded) == set(UNBOUNDED)
    for name, (slugs, _) in UNBOUNDED.items():
        assert slugs is True or slugs == unbounded[name], name


def test_what_a_hint_promises_is_a_bound(by_slug: dict[str, Json]) -> None:
    kept = set()
    for item in by_slug.values():
        for section in sections_of(item):
            questions = [field for name in ("fields", "person_fields") for field in section.get(name, ())]
            for block in (section, *questions):
                hint = NOT_OF_ONE_ANSWER.sub("", block.get("help", ""))
                for promise in PROMISES.findall(hint):
                    assert keeps(block, hint), (item["product"]["slug"], block["help"])
                    kept.add(promise.lower())
    assert kept == {"at least", "up to", "exactly", "18", "minors", "is enough", "add up to", "to twelve"}


def keeps(block: Json, hint: str) -> bool:
    """Tell whether the bounds of a section or field say the figure of its hint."""
    if re.search(r"\b18\b|Minors", hint):
        [born] = [field for field in block["person_fields"] if name_of(field) == "person.date_of_birth"]
        return bool(born["minimum_age"] == 18)
    if "add up to 100%" in hint:
        return bool(block["total"]["equals"] == 100)
    if match := re.search(r"([A-Z]{3}) ([\d,]+(?:\.\d+)?)", hint):
        least = block["minimum"]
        return bool((least[match[1]] if isinstance(least, dict) else least) == float(match[2].replace(",", "")))
    if match := re.search(r"At least (\d+)%", hint):
        return bool(block["minimum"] == int(match[1]))
    match = re.search(r"(?:up to|[Ee]xactly|to) (\d+|one|three|twelve)\b", hint)
    assert match is not None, hint
    return bool(block["maximum"] == (NUMBERS.get(match[1]) or int(match[1])))


@pytest.mark.django_db(databases=["service"])
def test_the_service_gives_bounds_with_their_reasons_in_the_readers_language() -> None:
    store_catalog(catalog_items())
    caller = Caller.with_scopes(account="reader")

    def reason(language: str) -> tuple[Any, ...]:
        answer = caller.get("/catalog", Accept_Language=language).json()
        item = next(item for item in answer["data"] if item["product"]["slug"] == "spanish-sociedad-limitada-sl")
        section = next(section for section in sections_of(item) if role_of(section) == "director")
        born = next(field for field in section["person_fields"] if field["key"] == "date_of_birth")
        return born["minimum_age"], born["bound_message"], section["maximum"], section["bound_message"]

    assert reason("en") == (
        18, "Administrators must be 18 or older", 12, "A board can have up to 12 members",
    )  # fmt: skip
    assert reason("fr") == (
        18, "Les administrateurs doivent avoir au moins 18 ans", 12, "Un conseil peut avoir 12 membres au plus",
    )  # fmt: skip
