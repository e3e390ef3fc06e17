"""Nobody is asked twice (goal 13): what a form asks in two places is one answer, and stands in both once given."""

from collections import Counter
from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from tests import factories
from tests.markup import Markup

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def test_an_answer_that_two_sections_ask_is_there_in_the_second(as_owner: Client, draft: Draft) -> None:
    root = f"/applications/{draft.application.reference}/sections/"
    before = Markup(as_owner.get(f"{root}funds/").content.decode())
    chosen = {"type": "radio", "name": "q:activity", "value": "Trading"}
    assert "checked" not in before.one("input", **chosen).attributes
    as_owner.post(f"{root}the-company/", {"q:activity": "Trading", "version": "0"})
    after = Markup(as_owner.get(f"{root}funds/").content.decode())
    assert "checked" in after.one("input", **chosen).attributes


def test_a_question_of_two_roles_stands_once_on_the_page_of_who_has_both(
    as_owner: Client, draft: Draft, owner: Any
) -> None:
    ada = services.add_party(draft, "person", ["director", "shareholder"], factories.ADA, by=owner)
    path = f"/applications/{draft.application.reference}/people/{ada.token}/"
    page = Markup(as_owner.get(path).content.decode())
    asked = Counter(one.attributes["name"] for one in page.all("input") if one.attributes.get("type") != "radio")
    assert asked["q:person.date_of_birth:day"] == 1
    assert not [name for name, times in asked.items() if name.startswith("q:") and times > 1]
