"""Nobody is asked twice (goal 13): what a form asks in two places is one answer, and stands in both once given."""

from collections import Counter
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import SectionAnswers
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


def test_the_second_section_says_when_the_answer_was_saved_in_the_first(as_owner: Client, draft: Draft) -> None:
    root = f"/applications/{draft.application.reference}/sections/"
    assert "Saved on" not in as_owner.get(f"{root}funds/").content.decode()
    as_owner.post(f"{root}the-company/", {"q:activity": "Trading", "version": "0"})
    SectionAnswers.objects.update(updated_at=datetime(2025, 3, 2, 9, tzinfo=UTC))
    page = as_owner.get(f"{root}funds/").content.decode().replace("\N{NO-BREAK SPACE}", " ")
    assert "Saved on 2 March 2025 at 22:45" in page


def test_a_question_of_two_roles_stands_once_on_the_page_of_who_has_both(
    as_owner: Client, draft: Draft, owner: Any
) -> None:
    ada = services.add_party(draft, "person", ["director", "shareholder"], factories.ADA, by=owner)
    path = f"/applications/{draft.application.reference}/people/{ada.token}/"
    page = Markup(as_owner.get(path).content.decode())
    asked = Counter(one.attributes["name"] for one in page.all("input") if one.attributes.get("type") != "radio")
    assert asked["q:person.date_of_birth:day"] == 1
    assert not [name for name, times in asked.items() if name.startswith("q:") and times > 1]


def test_a_new_role_finds_its_answers_there(as_owner: Client, draft: Draft, owner: Any) -> None:
    ada = services.add_party(draft, "person", ["director"], factories.ADA, by=owner)
    path = f"/applications/{draft.application.reference}/people/{ada.token}/"
    version = Markup(as_owner.get(path).content.decode()).one("input", name="version").attributes["value"]
    as_owner.post(path, {"version": version, "roles": ["director", "shareholder"], "update": "1"})
    again = Markup(as_owner.get(path).content.decode())
    for name, typed in (("first_name", "Ada"), ("date_of_birth:day", "10")):
        assert again.one("input", name=f"q:person.{name}").attributes["value"] == typed
