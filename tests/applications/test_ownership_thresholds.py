"""From which part on somebody is a beneficial owner: every jurisdiction of the catalog, and any other."""

from fractions import Fraction

import pytest

from formation_portal.applications.ownership_stakes import threshold_of
from formation_portal.service.catalog.loader import read_catalog


@pytest.mark.parametrize(
    ("code", "percent", "is_inclusive"), [("VG", 10, True), ("NL", 25, False), ("CR", 15, True), ("PA", 25, True)]
)
def test_each_place_has_a_threshold_of_its_own(code: str, percent: int, is_inclusive: bool) -> None:
    threshold = threshold_of({"iso_code": code, "name": "Somewhere"})
    assert (threshold.percent, threshold.is_inclusive, threshold.is_known) == (Fraction(percent), is_inclusive, True)
    assert threshold.where != "Somewhere"
    assert threshold.source.endswith("; checked June 2026")


def test_every_place_of_the_catalog_is_known() -> None:
    jurisdictions = {item["jurisdiction"]["iso_code"] for item in read_catalog()}
    assert {code for code in jurisdictions if not threshold_of({"iso_code": code}).is_known} == set()


@pytest.mark.parametrize("jurisdiction", [{"iso_code": "ZZ", "name": "Elsewhere"}, {"name": "Elsewhere"}])
def test_anywhere_else_a_quarter_is_taken_and_said_to_be_a_guess(jurisdiction: dict[str, str]) -> None:
    threshold = threshold_of(jurisdiction)
    assert (threshold.percent, threshold.where, threshold.is_known) == (Fraction(25), "Elsewhere", False)
