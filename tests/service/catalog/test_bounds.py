"""The bounds of every form (INTERFACE.md, "Optional members") as `GET /catalog` gives them."""

from pathlib import Path

import yaml

from formation_portal.service.catalog.translation import translation_of

from .conftest import Json, asked_in, name_of, sections_of

EXPECTED: Json = yaml.safe_load((Path(__file__).parent / "bounds.yaml").read_text("utf-8"))
PRODUCTS: dict[str, Json] = EXPECTED["products"]


FIELD_MEMBERS = {
    "minimum", "maximum", "integer", "decimals", "minimum_age", "maximum_age", "max_length", "bound_message",
}  # fmt: skip
SECTION_MEMBERS = {"maximum", "total", "bound_message"}


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


def test_bounds_have_their_reasons_in_the_readers_language(by_slug: dict[str, Json]) -> None:
    french = translation_of("fr").item(by_slug["spanish-sociedad-limitada-sl"])
    section = next(section for section in sections_of(french) if role_of(section) == "director")
    born = next(field for field in section["person_fields"] if field["key"] == "date_of_birth")
    assert (born["minimum_age"], born["bound_message"]) == (18, "Les administrateurs doivent avoir au moins 18 ans")
    assert (section["maximum"], section["bound_message"]) == (12, "Un conseil peut avoir 12 membres au plus")
