"""What a section costs: as many queries for three hundred questions as for ten, and text that is never kept."""

from typing import Any

import pytest
from django.db import connections
from django.test import Client
from django.test.utils import CaptureQueriesContext

from formation_portal.applications import services
from formation_portal.applications.models import Application
from formation_portal.contract.catalog import CatalogItem, parse_catalog
from formation_portal.ui.forms import rendering
from formation_portal.ui.forms.question import Question
from tests.campaigns.bench.forms import product
from tests.portal.pages import section_url

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def started(owner: Any, size: int) -> Application:
    (item,) = parse_catalog([product(size)])
    assert isinstance(item, CatalogItem)
    return services.start(owner=owner, product=item)


def queries(client: Client, application: Application, post: dict[str, Any] | None = None, **more: Any) -> int:
    path = section_url(application, "questions")
    client.get(path)
    with CaptureQueriesContext(connections["default"]) as seen, CaptureQueriesContext(connections["service"]) as beyond:
        response = client.get(path) if post is None else client.post(path, post, **more)
    assert response.status_code in (200, 302)
    assert len(beyond) == 0
    return len(seen)


def test_the_page_takes_as_many_queries_for_three_hundred_questions_as_for_ten(as_owner: Client, owner: Any) -> None:
    small, large = (queries(as_owner, started(owner, size)) for size in (10, 300))
    assert small == large
    assert large <= 12


def test_what_is_kept_of_drawn_questions_holds_no_typed_text(as_owner: Client, owner: Any) -> None:
    application = started(owner, 10)
    post = {"version": "0", "q:q0": "Typed by Ada", "q:q7": "Also by Ada", "q:q5:day": "31", "q:q5:year": "1815"}
    as_owner.post(section_url(application, "questions"), post)
    html = as_owner.get(section_url(application, "questions")).content.decode()
    assert "Typed by Ada" in html
    assert "Also by Ada" in html
    assert 'value="1815"' in html
    kept = "".join(f"{key} {markup}" for key, markup in rendering._cache.items())
    assert "by Ada" not in kept
    assert "1815" not in kept


def test_a_question_drawn_from_memory_equals_one_drawn_anew() -> None:
    (item,) = parse_catalog([product(10)])
    assert isinstance(item, CatalogItem)
    typed: dict[bool, Any] = {False: "Text & <b>\"'", True: ["Trade", "Other"]}
    for spec in item.form.entity_fields:
        parts = dict.fromkeys(spec.parts, "1")
        for raw in (None, parts or typed[spec.many]):
            question = Question(spec=spec, name=f"q:{spec.key}", typed=raw)
            place = ("questions", "entity", spec.key)
            first, second = (rendering.cached_markup(question, item.form, place) for _ in range(2))
            assert first == second == rendering.render(question)
    # One that lacks parts of its answer is drawn apart from one that does not.
    [spec] = [spec for spec in item.form.entity_fields if spec.field_type == "date"]
    typed_date = {"day": "31", "month": "12", "year": ""}
    looks = [
        Question(spec=spec, name="q:date", typed=typed_date, optional=True, is_incomplete=is_incomplete)
        for is_incomplete in (False, True, False)
    ]
    place = ("questions", "entity", spec.key)
    markup = [rendering.cached_markup(question, item.form, place) for question in looks]
    assert markup == [rendering.render(question) for question in looks]
    assert markup[0] != markup[1]
