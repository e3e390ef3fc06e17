"""The neutral form as each page asks it: the same questions, and the same follow from the same answer."""

import re

import pytest

from formation_portal.contract.catalog import CatalogItem
from formation_portal.contract.schema import FormSchema
from tests.campaigns.bench.browser.neutral import neutral_form, product
from tests.campaigns.bench.browser.peers import floor_page, json_schema


@pytest.mark.parametrize("size", [40, 200])
def test_each_page_asks_the_same(size: int) -> None:
    form = neutral_form(size)
    asked = {one["id"] for one in form["sections"][0]["fields"]}
    followers = {one["id"] for one in form["sections"][0]["fields"] if "show_if" in one}
    assert len(asked) == size
    assert len(followers) > size / 5

    schema = FormSchema.model_validate(product(form)["schema"])
    assert CatalogItem.model_validate(product(form)).product.name == form["title"]
    assert {spec.key for spec in schema.entity_fields} == asked
    assert {spec.key for spec in schema.entity_fields if spec.depends_on} == followers

    page = floor_page(form)
    assert asked <= set(re.findall(r'<label for="(\w+)"', page))
    assert set(re.findall(r'id="d-(\w+)"', page)) == followers

    described = json_schema(form)
    later = {
        name
        for one in described["dependencies"].values()
        for name in one["oneOf"][1]["properties"]
        if name in followers
    }
    assert set(described["properties"]) | later == asked
    assert later == followers
