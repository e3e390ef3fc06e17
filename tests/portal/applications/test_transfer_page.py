"""The page of what can be carried over says which product that is for, and where."""

import pytest
from django.test import Client

from formation_portal.applications.draft import Draft
from tests.portal.applications.test_transfer import THERE, filled, path
from tests.portal.pages import page_at

__all__ = ["filled"]

pytestmark = [pytest.mark.django_db(databases=["default", "service"]), pytest.mark.usefixtures("full_catalog")]


def test_the_heading_names_product_and_place(filled: Draft, as_owner: Client) -> None:
    heading = " ".join(page_at(as_owner, path(filled, THERE)).one("h1").text.split())
    assert heading == "Reuse for International business company (IBC), Seychelles"
