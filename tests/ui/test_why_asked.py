"""A question says which other question it hangs on: of two with one name, that of its own section."""

from typing import Any

import pytest
from django.test import Client

from tests import factories
from tests.portal.pages import page_at

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def _section(title: str, prefix: str) -> dict[str, Any]:
    return {
        "scope": "entity",
        "title": title,
        "fields": [
            factories.field("kind", "boolean", prefix=prefix, label=f"Is the {prefix} shared?"),
            factories.field("with", prefix=prefix, depends_on={"field": "kind", "value": True}),
        ],
    }


@pytest.mark.parametrize(("key", "own", "other"), [("desk", "desk", "lamp"), ("light", "lamp", "desk")])
def test_a_question_names_the_one_of_its_own_section(
    as_owner: Client, owner: Any, key: str, own: str, other: str
) -> None:
    form = factories.SCHEMA | {"sections": [_section("Desk", "desk"), _section("Light", "lamp")]}
    application = factories.new_draft(owner, schema=form).application
    text = page_at(as_owner, f"/applications/{application.reference}/sections/{key}/").one("main").text
    assert f"to “Is the {own} shared?”" in text
    assert f"Is the {other} shared?" not in text
