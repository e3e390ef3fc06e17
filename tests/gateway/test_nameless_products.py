"""A product has a name to be listed under, whatever its entry leaves out or breaks."""

from typing import Any

import pytest

from formation_portal.contract.schema_check import check_schema
from formation_portal.gateway.catalog import read_products
from tests.other_service.schema_builders import item
from tests.other_service.schemas import USABLE

NAMELESS = "A product without a name"


@pytest.mark.parametrize(
    ("name", "form_name", "slug", "listed"),
    [
        ("Company", "Form of a company", "company", "Company"),
        ("", "Form of a company", "company", "Form of a company"),
        ("", "", "company", "company"),
        ("", "", "", NAMELESS),
    ],
)
def test_the_first_name_that_there_is_counts(name: str, form_name: str, slug: str, listed: str) -> None:
    form = USABLE[0]["schema"] | {"form_name": form_name, "name": form_name}
    [product] = read_products([item("x", "X", form, product={"name": name, "slug": slug})])
    assert product.name == listed


def test_a_product_that_cannot_be_checked_is_listed_beside_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error that nobody has thought of yet, so it has to be made."""
    sound, broken = USABLE[:2]

    def check_most(form: Any) -> Any:
        if form.id == broken["schema"]["id"]:
            raise RecursionError
        return check_schema(form)

    monkeypatch.setattr("formation_portal.gateway.catalog.check_schema", check_most)
    first, second = read_products([broken, sound])
    assert (first.name, first.reason) == (NAMELESS, "The catalog entry cannot be read")
    assert second.is_available
