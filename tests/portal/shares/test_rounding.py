"""A percentage is the same on every page: computed by one function, and rounded once."""

import re
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.utils import translation

from formation_portal.applications.draft import Draft
from tests.markup import Markup
from tests.pdfs import read_pdf
from tests.portal.share_limits import hold
from tests.portal.shares.test_beneficial_owners import trio

__all__ = ["trio"]

pytestmark = pytest.mark.django_db(databases=["default", "service"])

PARTS = {"70.96", "29.04"}
# Nothing, all of it, and from which part on somebody counts there.
OTHERS = {"0", "100", "10"}


def percentages(text: str) -> set[str]:
    return set(re.findall(r"\d+(?:[.,]\d+)?(?=\s?%)", text))


def path(draft: Draft, rest: str) -> str:
    return f"/applications/{draft.application.reference}/{rest}"


def main_of(client: Client, draft: Draft, rest: str) -> str:
    page = Markup(client.get(path(draft, rest)).content.decode())
    pictures = " ".join(one.attributes.get("aria-label", "") for one in page.all("svg", role="img"))
    return f"{page.one('main').text} {pictures}"


def test_table_picture_tree_and_sums_say_the_same(as_owner: Client, trio: Draft, owner: Any) -> None:
    hold(trio, owner, ("7,096",), ("2,904",))
    assert percentages(main_of(as_owner, trio, "shares/")) - OTHERS == PARTS
    assert percentages(main_of(as_owner, trio, "check/")) - OTHERS == PARTS
    assert percentages(read_pdf(as_owner.get(path(trio, "record.pdf")).content).text) == PARTS


def test_so_they_do_in_every_language(as_owner: Client, trio: Draft, owner: Any) -> None:
    hold(trio, owner, ("7,096",), ("2,904",))
    as_owner.cookies[settings.LANGUAGE_COOKIE_NAME] = "de"
    with translation.override("de"):
        assert percentages(main_of(as_owner, trio, "shares/")) - OTHERS == {one.replace(".", ",") for one in PARTS}
