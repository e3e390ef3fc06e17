"""Schemas at the workbench: every one is read or named, drawn as customers see it, and nothing of it stays."""

import json
import os
import subprocess
import sys
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connections
from django.test import Client
from django.utils.html import escape

from formation_portal.accounts.models import Right
from formation_portal.contract.schema_check import check_schema
from formation_portal.desk.workbench.source import MAX_BYTES, MAX_QUESTIONS, MAX_SAME, MAX_SECTIONS
from formation_portal.gateway.calls import Caller
from formation_portal.gateway.catalog import catalog, forget, read_products
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


# Every fourth in every run, all of them in `make test-long`.
EMBEDDED = [
    pytest.param(item, id=item["product"]["slug"], marks=() if number % 4 == 0 else pytest.mark.long)
    for number, item in enumerate(catalog_items())
]


@pytest.mark.parametrize("item", EMBEDDED)
def test_every_embedded_schema_is_shown(show: Show, item: Any) -> None:
    html = show(item)
    assert 'id="trial"' in html
    for section in item["schema"]["sections"]:
        assert words(section["title"]) in html


@pytest.mark.parametrize("item", odd.CATALOG, ids=lambda item: str(item)[:40] and odd.CATALOG.index(item))
def test_every_fault_of_an_odd_item_is_named(show: Show, item: Any) -> None:
    [product] = read_products([item])
    html = show(json.dumps(item), status=200 if isinstance(item, dict) else 422)
    if product.item is None:
        assert "unavailable" in html or "neither a schema nor an item" in html
        return
    report = check_schema(product.item.form)
    for finding in (*report.faults, *report.warnings, *report.notes):
        assert words(finding.message) in html
    assert ("unavailable" in html) is bool(report.faults)


# What nobody should paste, each with what is said of it.
HOSTILE = {
    "nothing": ("  \n", "There is nothing to check"),
    "no JSON": ("{'id': 1}", "This is not JSON. Line 1, character 2"),
    "half a document": ('{"id": "a", "sections": [', "This is not JSON. Line 1, character 26"),
    "NaN": ('{"id": "a", "sections": [], "minimum": NaN}', "NaN is no JSON number"),
    "a number of 5,000 digits": ('{"id": ' + "9" * 5_000 + "}", "A number has more digits than can be read"),
    "deep lists": ("[" * 400_000 + "]" * 400_000, "nested more than 30 deep"),
    "deep objects": ('{"a":' * 900 + "1" + "}" * 900, "nested more than 30 deep"),
    "open lists without end": ("[" * 900_000, "nested more than 30 deep"),
    "too many bytes": (json.dumps({"id": "x" * 1_000_000}), "The workbench takes up to 1,000,000"),
    "too many questions": (json.dumps(asking(*({"key": f"k{n}"} for n in range(3_000)))), "has 3,001 questions"),
    "too many sections": (json.dumps(build.schema("A", *({"title": f"{n}"} for n in range(101)))), "has 101 sections"),
    "too many of one name": (
        json.dumps(asking(*({"key": "k"} for _ in range(101)))),
        "101 questions with the name “k”",
    ),
    "too many options": (json.dumps(asking({"key": "k", "options": ["a"] * 1_001})), "1,001 options or answers"),
    "too many answers in a rule": (
        json.dumps(asking({"key": "k", "depends_on": {"field": "name", "value": ["a"] * 1_001}})),
        "1,001 options or answers",
    ),
    "a list of two": ("[{}, {}]", "This is a list of 2"),
    "a text": ('"sections"', "neither a schema nor an item"),
    "a number": ("7", "neither a schema nor an item"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_can_t_be_checked_says_why(show: Show, name: str) -> None:
    text, said = HOSTILE[name]
    assert words(said) in show(text, status=422)


def test_five_megabytes_are_not_even_read(as_agent: Client) -> None:
    for controls in ({"schema": "[" * 5_000_000}, {"file": SimpleUploadedFile("x.json", b"[" * 5_000_000)}):
        assert as_agent.post("/workbench/", controls).status_code == 413


def test_the_limits_have_room_for_every_embedded_schema() -> None:
    sizes = [len(json.dumps(item, indent=2)) for item in catalog_items()]
    assert max(sizes) * 5 < MAX_BYTES
    for item in catalog_items():
        sections = item["schema"]["sections"]
        assert len(sections) * 4 < MAX_SECTIONS
        lists = ("fields", "person_fields", "corporate_fields", "foundation_fields")
        names = Counter(field["key"] for section in sections for name in lists for field in section.get(name) or ())
        assert names.most_common(1)[0][1] * 4 < MAX_SAME
        assert names.total() * 4 < MAX_QUESTIONS


@pytest.mark.parametrize(
    ("content", "status", "said"),
    [
        (json.dumps(PLAIN).encode(), 200, "Plain company"),
        (b"\xef\xbb\xbf" + json.dumps(PLAIN).encode(), 200, "Plain company"),
        ("Grüße".encode("latin-1"), 422, "not text in UTF-8: byte 3"),
        (json.dumps(PLAIN).encode("utf-16"), 422, "not text in UTF-8"),
        (b"x" * 1_500_000, 422, "The file has 1,500,000 bytes"),
        (b"", 422, "There is nothing to check"),
    ],
    ids=["utf-8", "with a mark", "latin-1", "utf-16", "too large", "empty"],
)
def test_a_file_is_read_in_place_of_the_text(as_agent: Client, content: bytes, status: int, said: str) -> None:
    file = SimpleUploadedFile("schema.json", content, content_type="application/json")
    answer = as_agent.post("/workbench/", {"schema": "not this", "file": file})
    assert answer.status_code == status
    assert said in answer.content.decode()


def test_mark_up_is_text(show: Show) -> None:
    script = "<script>alert(1)</script>"
    hostile = asking(build.ask(script, script, help=script), form_name=script, csp_name=script, version=script)
    hostile["sections"][0] |= {"title": script, "help": script}
    html = show(hostile, {"s0:q:name": script, "party": script, "product": script, "add": script, "document": script})
    assert script not in html
    assert words(script) in html
    assert script not in show(script, status=422)


def test_a_textarea_can_t_be_left(show: Show) -> None:
    html = show('{"id": "</textarea><script>alert(1)</script>"}')
    assert "</textarea><script>" not in html


def test_names_that_stand_twice_are_named(show: Show) -> None:
    text = json.dumps(PLAIN).replace('"key": "name"', '"key": "first", "key": "name"')
    assert words("“key” stands twice in one object") in show(text)


@pytest.mark.parametrize(
    "value", [10**400, -(10**30), 1e308, "9" * 5_000, True, None, [], {}, "\ud800", "\x00", "\u202e"], ids=repr
)
def test_odd_values_anywhere_do_no_harm(show: Show, value: Any) -> None:
    document = asking(
        build.ask("odd", value, "select", options=[value, "b"], help=value),
        build.ask("next", "Next", depends_on={"field": "odd", "value": value}),
        {"key": value, "label": "Keyed"},
        csp_name=value,
        version=value,
        agent_address={"street1": value},
    )
    document["sections"] += [
        build.role(
            "director", "Directors", minimum=value, conditional_min={"field": "odd", "value": value, "minimum": value}
        ),
        {"scope": value, "title": value, "fields": value},
    ]
    text = json.dumps(document)
    for answer in ("b", "x" * 3_000, "\x00"):
        show(text, {"s0:q:odd": answer, "add": "person:director"})


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


def test_rules_that_go_in_a_circle_are_a_fault_and_nothing_is_drawn(show: Show) -> None:
    html = show(odd.FAULTY[0])
    assert words("The rules form a circle: one / entity / a → two / entity / b → one / entity / a") in html
    assert 'id="trial"' not in html


def test_rules_of_great_depth_are_a_fault_and_nothing_is_drawn(show: Show) -> None:
    steps = [build.ask(f"k{depth + 1}", "Step", depends_on=build.when(f"k{depth}", "x")) for depth in range(1_500)]
    assert "more than 100 deep" in show(asking(build.ask("k0", "Step"), *steps))


# Who may come here, and when.


def test_it_is_for_agents_with_the_right(as_agent: Client, as_owner: Client, as_nobody: Client, agent: Any) -> None:
    assert as_agent.get("/workbench/").status_code == 200
    assert as_owner.get("/workbench/").status_code == 403
    agent.set_rights([right for right in Right.values if right != Right.WORKBENCH])
    for ask in (as_agent.get, as_agent.post):
        refused = ask("/workbench/")
        assert refused.status_code == 403
        assert "You need the right “workbench”" in refused.content.decode()


def test_where_it_is_off_it_is_not_there(as_agent: Client, settings: Any) -> None:
    assert 'href="/workbench/"' in as_agent.get("/desk/").content.decode()
    settings.WORKBENCH = False
    assert as_agent.get("/workbench/").status_code == 404
    assert as_agent.post("/workbench/", {"schema": "{}"}).status_code == 404
    assert 'href="/workbench/"' not in as_agent.get("/desk/").content.decode()


@pytest.mark.parametrize(
    ("workbench", "demo", "is_on"),
    [(None, "true", True), (None, "false", False), ("yes", "false", True), ("no", "true", False)],
)
def test_it_is_on_in_the_demo_unless_said_otherwise(workbench: str | None, demo: str, is_on: bool) -> None:
    environment = {name: value for name, value in os.environ.items() if name not in ("WORKBENCH", "DEMO")}
    environment |= {"DEMO": demo, **({"WORKBENCH": workbench} if workbench else {})}
    code = "from formation_portal import settings; print(settings.WORKBENCH)"
    found = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == str(is_on)


def rows() -> dict[str, int]:
    return {model.__name__: model._default_manager.count() for model in apps.get_models()}


def test_nothing_is_kept_and_nothing_is_sent(
    as_agent: Client, full_catalog: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = catalog_items()[0]["product"]["slug"]
    as_agent.get("/workbench/")
    sent: list[tuple[str, str]] = []
    original = Caller.call

    def recorded(caller: Caller, call: Any) -> Any:
        sent.append((call.method, call.path))
        return original(caller, call)

    monkeypatch.setattr(Caller, "call", recorded)
    before = rows()
    kept = dict(rendering._cache)
    controls = {"s0:q:name": "Larkfield", "add": "person:director", "document": "/Charter"}
    writes: list[str] = []

    def no_writing(execute: Any, sql: str, *rest: Any) -> Any:
        if not sql.lstrip().upper().startswith(("SELECT", "SAVEPOINT", "RELEASE")):
            writes.append(sql)
        return execute(sql, *rest)

    with ExitStack() as watched:
        for connection in connections.all():
            watched.enter_context(connection.execute_wrapper(no_writing))
        as_agent.get(f"/workbench/?product={key}")
        as_agent.post("/workbench/", {"schema": json.dumps(PLAIN), **controls})
        as_agent.post("/workbench/", {"schema": json.dumps(PLAIN), **controls}, headers={"HX-Request": "true"})
    assert rows() == before
    assert writes == []
    assert {method for method, _ in sent} <= {"GET"}
    assert {path for _, path in sent} <= {"/catalog"}
    # Nor in the process: mark-up of questions that customers are asked is kept, none of these.
    assert rendering._cache == kept


def test_what_is_posted_without_a_session_is_not_kept_either(as_nobody: Client) -> None:
    answer = as_nobody.post("/workbench/", {"schema": json.dumps(PLAIN)})
    assert answer["Location"] == "/accounts/login/?next=%2Fworkbench%2F"
    assert "unsent" not in as_nobody.session


def test_every_product_of_another_service_is_shown_or_says_why_not(at_other_service: Any, as_agent: Client) -> None:
    known = catalog()
    assert len(known.items) == len(odd.CATALOG)
    for product in known.items:
        answer = as_agent.get("/workbench/", {"product": product.key})
        html = answer.content.decode()
        assert answer.status_code == (200 if product.item else 422)
        assert all(words(said) in html for said in product.reason.split("; "))
        assert Markup(html).faults == []
    # It was asked for its catalog, and for nothing else.
    assert {(one.method, one.path.partition("?")[0].rsplit("/", 1)[-1]) for one in at_other_service.received} == {
        ("GET", "catalog")
    }


def test_without_a_catalog_a_schema_can_still_be_pasted(
    as_agent: Client, show: Show, settings: Any, tmp_path: Path
) -> None:
    settings.FORMATION_SERVICE_URL, settings.FORMATION_SERVICE_KEY = "http://127.0.0.1:9", "k"
    settings.DATA_DIR = tmp_path
    forget()
    assert "catalog is not available at the moment" in as_agent.get("/workbench/").content.decode()
    assert 'id="trial"' in show(PLAIN)
    assert as_agent.get("/workbench/", {"product": "plain"}).status_code == 422
    forget()
