"""Sections that nobody here would write: odd keys, mark-up in words, questions that can't be answered."""

from typing import Any

import pytest
from django.test import Client

from formation_portal.applications import services
from formation_portal.applications.draft import open_draft
from formation_portal.applications.models import Application
from tests import factories
from tests.markup import Markup
from tests.portal.pages import page_at, section_url

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def started(owner: Any, *fields: dict[str, Any], **more: Any) -> Application:
    """An application of a form with one section of these fields."""
    section = {"scope": "entity", "title": "Odd <b>&", "fields": list(fields)}
    form = {"id": "odd", "sections": [section]} | more
    return services.start(owner=owner, product=factories.product(schema=form))


def page_of(client: Client, application: Application) -> Markup:
    return page_at(client, section_url(application, "odd-b"))


def test_keys_that_look_like_our_own_ids_are_told_apart(as_owner: Client, owner: Any) -> None:
    keys = ("a", "a-hint", "a-mark", "a:day", "a b", 'a"b', "length", "version", "ü")
    fields = [factories.field(key, help="A hint.") for key in keys]
    application = started(owner, *fields, factories.field("a:", "date"))
    page = page_of(as_owner, application)
    names = [one.attributes["name"] for one in page.controls if one.attributes.get("name", "").startswith("q:")]
    assert len(names) == len(set(names)) == len(keys) + 3
    as_owner.post(section_url(application, "odd-b"), {"version": "0"} | dict.fromkeys(names, "1"))
    assert len(open_draft(application).entity_raw) == len(keys) + 1


def test_markup_in_words_stays_text(as_owner: Client, owner: Any) -> None:
    bad = "<script>alert(1)</script>"
    field = factories.field("a", "select", label=bad, help=bad, options=[bad, '"><i>'])
    application = started(owner, field)
    html = as_owner.get(section_url(application, "odd-b")).content.decode()
    assert "<script>alert" not in html
    assert page_of(as_owner, application).one("legend").text == bad
    as_owner.post(section_url(application, "odd-b"), {"version": "0", "q:a": bad})
    assert open_draft(application).record.answers.values == {"xy.a": bad}


@pytest.mark.parametrize(
    ("field", "words"),
    [
        (factories.field("a", "select", options=[]), "It has no options."),
        (factories.field("a", "share_class_ref"), "This company type has no share classes."),
        (factories.field("a", "address", provided_by_agent=True), "We don’t have the agent’s address."),
    ],
)
def test_a_question_that_nobody_can_answer_says_so_and_is_not_needed(
    as_owner: Client, owner: Any, field: dict[str, Any], words: str
) -> None:
    application = started(owner, field)
    page = page_of(as_owner, application)
    assert words in page.one("main").text
    assert [one for one in page.controls if one.attributes["name"].startswith("q:")] == []
    as_owner.post(section_url(application, "odd-b"), {"version": "0", "q:a": "x"})
    assert open_draft(application).entity_raw == {}


@pytest.mark.parametrize("is_script", [False, True])
def test_of_two_questions_for_one_answer_the_one_that_was_seen_counts(
    as_owner: Client, owner: Any, is_script: bool
) -> None:
    def asked(key: str, value: bool) -> dict[str, Any]:
        return factories.field(key, csp_field_key="xy.one", depends_on={"field": "which", "value": value})

    def shown(*regions: str) -> dict[str, Any]:
        return {"shown": " ".join(regions) if is_script else list(regions)}

    other = factories.field("other", depends_on={"field": "first", "value": "Seen"})
    fields = [factories.field("which", "boolean"), asked("first", True), other, asked("second", False)]
    application = started(owner, *fields)
    post = {"version": "0", "q:which": "true", "q:first": "Seen", "q:second": ""}
    as_owner.post(section_url(application, "odd-b"), post | shown("region-q:first", "region-q:other"))
    assert open_draft(application).entity_raw["xy.one"] == "Seen"
    post |= {"version": "1", "q:which": "false", "q:first": "Old", "q:second": "New"}
    as_owner.post(section_url(application, "odd-b"), post | shown("region-q:second"))
    assert open_draft(application).entity_raw["xy.one"] == "New"
