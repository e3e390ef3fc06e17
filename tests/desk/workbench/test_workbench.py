"""Schemas at the workbench: every one is read or named, drawn as customers see it, and nothing of it stays."""

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connections
from django.test import Client
from django.utils.html import escape

from formation_portal.contract.schema_check import check_schema
from formation_portal.gateway.catalog import catalog, forget
from formation_portal.ui.forms import rendering
from tests.embedded_catalog import catalog_items
from tests.markup import Markup
from tests.other_service import schema_builders as build
from tests.other_service import schemas as odd
from tests.other_service.fixtures import at_other_service, other_service

from .conftest import Show

__all__ = ["at_other_service", "other_service"]

pytestmark = pytest.mark.django_db(databases=["default", "service"])


PLAIN: dict[str, Any] = build.item(
    "plain", "Plain company", build.schema("Form L-0", build.entity("The company", build.NAME))
)


def words(text: str) -> str:
    """As a page writes it."""
    return str(escape(text))


def asking(*fields: Any, **more: Any) -> dict[str, Any]:
    """A schema whose one section asks these, besides the name."""
    schema: dict[str, Any] = build.schema("Form L-0", build.entity("The company", build.NAME, *fields), **more)
    return schema


def test_embedded_schemas_are_shown(show: Show) -> None:
    for item in catalog_items()[::12]:
        html = show(item)
        assert 'id="trial"' in html
        for section in item["schema"]["sections"]:
            assert words(section["title"]) in html


def test_what_can_t_be_checked_says_why(show: Show) -> None:
    for text, message in (
        ("  \n", "There is nothing to check"),
        ('{"id": "a", "sections": [', "This is not JSON. Line 1, character 26"),
        ('{"id": "a", "sections": [], "minimum": NaN}', "NaN is no JSON number"),
        ('{"id": ' + "9" * 5_000 + "}", "A number has more digits than can be read"),
        ("[" * 400_000 + "]" * 400_000, "nested more than 30 deep"),
        ('{"a":' * 900 + "1" + "}" * 900, "nested more than 30 deep"),
        ("[" * 900_000, "nested more than 30 deep"),
        (json.dumps({"id": "x" * 1_000_000}), "The workbench takes up to 1,000,000"),
        (json.dumps(asking(*({"key": f"k{n}"} for n in range(3_000)))), "has 3,001 questions"),
        (json.dumps(build.schema("A", *({"title": f"{n}"} for n in range(101)))), "has 101 sections"),
        (json.dumps(asking(*({"key": "k"} for _ in range(101)))), "101 questions with the name “k”"),
        (json.dumps(asking({"key": "k", "options": ["a"] * 1_001})), "1,001 options or answers"),
        ("[{}, {}]", "This is a list of 2"),
        ("7", "neither a schema nor an item"),
        ("</textarea><script>alert(1)</script>", "This is not JSON"),
    ):
        html = show(text, status=422)
        assert words(message) in html
        assert "</textarea><script>" not in html


def test_five_megabytes_are_not_even_read(as_agent: Client) -> None:
    for controls in ({"schema": "[" * 5_000_000}, {"file": SimpleUploadedFile("x.json", b"[" * 5_000_000)}):
        assert as_agent.post("/workbench/", controls).status_code == 413


def test_a_file_is_read_in_place_of_the_text(as_agent: Client) -> None:
    for content, status, message in (
        (b"\xef\xbb\xbf" + json.dumps(PLAIN).encode(), 200, "Plain company"),
        ("Grüße".encode("latin-1"), 422, "not text in UTF-8: byte 3"),
        (json.dumps(PLAIN).encode("utf-16"), 422, "not text in UTF-8"),
        (b"x" * 1_500_000, 422, "The file has 1,500,000 bytes"),
        (b"", 422, "There is nothing to check"),
    ):
        file = SimpleUploadedFile("schema.json", content, content_type="application/json")
        answer = as_agent.post("/workbench/", {"schema": "not this", "file": file})
        assert answer.status_code == status
        assert message in answer.content.decode()


def test_mark_up_is_text(show: Show) -> None:
    script = "<script>alert(1)</script>"
    hostile = asking(build.ask(script, script, help=script), form_name=script, csp_name=script, version=script)
    hostile["sections"][0] |= {"title": script, "help": script}
    html = show(hostile, {"s0:q:name": script, "party": script, "product": script, "add": script, "document": script})
    assert script not in html
    assert words(script) in html
    assert script not in show(script, status=422)


def test_names_that_stand_twice_are_named(show: Show) -> None:
    text = json.dumps(PLAIN).replace('"key": "name"', '"key": "first", "key": "name"')
    assert words("“key” stands twice in one object") in show(text)


@pytest.mark.parametrize("value", [10**400, 1e308, "9" * 5_000, True, None, {}, "\ud800", "\u202e"], ids=repr)
def test_odd_values_anywhere_do_no_harm(show: Show, value: Any) -> None:
    document = asking(
        build.ask("odd", value, "select", options=[value, "b"], help=value),
        build.ask("next", "Next", depends_on={"field": "odd", "value": value}),
        {"key": value, "label": "Keyed"},
        csp_name=value,
        version=value,
        agent_address={"street1": value},
    )
    rule = {"field": "odd", "value": value, "minimum": value}
    document["sections"] += [
        build.role("director", "Directors", minimum=value, conditional_min=rule),
        {"scope": value, "title": value, "fields": value},
    ]
    show(json.dumps(document), {"s0:q:odd": "\x00", "add": "person:director"})


def test_what_can_t_be_read_as_a_model_is_named_with_its_place(show: Show) -> None:
    html = show(
        {"jurisdiction_product_id": ["x"], "schema": {"sections": [{"title": "A", "fields": [{}, {"key": "b"}]}]}}
    )
    assert "at jurisdiction_product_id" in html
    assert "at schema.sections.0.fields.0" in html
    assert 'id="trial"' not in html


def test_a_form_with_too_many_questions_is_checked_and_not_drawn(show: Show) -> None:
    html = show(asking(*({"key": f"k{number}"} for number in range(900))))
    assert "No faults and no warnings" in html
    assert "too many questions to show" in html
    assert "s0:q:" not in html


# Who may come here, and when.


def test_where_it_is_off_it_is_not_there(as_agent: Client, settings: Any) -> None:
    assert 'href="/workbench/"' in as_agent.get("/desk/").content.decode()
    settings.WORKBENCH = False
    assert as_agent.get("/workbench/").status_code == 404
    assert as_agent.post("/workbench/", {"schema": "{}"}).status_code == 404
    assert 'href="/workbench/"' not in as_agent.get("/desk/").content.decode()


def test_nothing_is_kept(as_agent: Client, full_catalog: None) -> None:
    as_agent.get("/workbench/")
    kept = dict(rendering._cache)
    controls = {"schema": json.dumps(PLAIN), "s0:q:name": "Larkfield", "add": "person:director"}
    writes: list[str] = []

    def no_writing(execute: Any, sql: str, *rest: Any) -> Any:
        if not sql.lstrip().upper().startswith(("SELECT", "SAVEPOINT", "RELEASE")):
            writes.append(sql)
        return execute(sql, *rest)

    with ExitStack() as watched:
        for connection in connections.all():
            watched.enter_context(connection.execute_wrapper(no_writing))
        as_agent.get("/workbench/", {"product": catalog_items()[0]["product"]["slug"]})
        as_agent.post("/workbench/", controls)
        as_agent.post("/workbench/", controls, headers={"HX-Request": "true"})
    assert writes == []
    # Nor in the process: mark-up of questions that customers are asked is kept, none of these.
    assert rendering._cache == kept


def test_every_product_of_another_service_is_shown_or_says_why_not(at_other_service: Any, as_agent: Client) -> None:
    known = catalog()
    assert len(known.items) == len(odd.CATALOG)
    for product in known.items:
        answer = as_agent.get("/workbench/", {"product": product.key})
        html = answer.content.decode()
        assert answer.status_code == (200 if product.item else 422)
        assert all(words(said) in html for said in product.reason.split("; "))
        assert Markup(html).faults == []
        if product.item:
            report = check_schema(product.item.form)
            assert all(words(finding.message) in html for finding in (*report.warnings, *report.notes))
    # It was asked for its catalog, and for nothing else.
    assert {(one.method, one.path.partition("?")[0].rsplit("/", 1)[-1]) for one in at_other_service.received} == {
        ("GET", "catalog")
    }


def test_without_a_catalog_a_schema_can_be_pasted(as_agent: Client, show: Show, settings: Any, tmp_path: Path) -> None:
    settings.FORMATION_SERVICE_URL, settings.FORMATION_SERVICE_KEY = "http://127.0.0.1:9", "k"
    settings.DATA_DIR = tmp_path
    forget()
    assert "catalog is not available at the moment" in as_agent.get("/workbench/").content.decode()
    assert 'id="trial"' in show(PLAIN)
    assert as_agent.get("/workbench/", {"product": "plain"}).status_code == 422
    forget()
