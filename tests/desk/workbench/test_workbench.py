"""Schemas at the workbench: every one is read or named, drawn as customers see it, and nothing of it stays."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from copy import deepcopy
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connections
from django.test import Client
from django.utils.html import escape

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application, SchemaVersion
from formation_portal.contract.schema import FormSchema
from formation_portal.contract.schema_check import check_schema
from formation_portal.desk.workbench.rule_tree import RuleNode, RuleTree
from formation_portal.desk.workbench.versions import differences, effects_on_drafts, versions_in_use
from formation_portal.gateway.catalog import catalog, forget
from formation_portal.ui.forms import rendering
from tests import factories
from tests.applications.test_new_form import newer
from tests.embedded_catalog import catalog_items
from tests.markup import Markup
from tests.other_service import schema_builders as build
from tests.other_service import schemas as odd
from tests.other_service.fixtures import at_other_service, other_service
from tests.other_service.schema_builders import ask, entity, role, schema, when, when_any

from .conftest import Show

__all__ = ["at_other_service", "other_service"]

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


def test_a_file_is_read_in_place_of_the_text_and_five_megabytes_are_not(as_agent: Client) -> None:
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
    for controls in ({"schema": "[" * 5_000_000}, {"file": SimpleUploadedFile("x.json", b"[" * 5_000_000)}):
        assert as_agent.post("/workbench/", controls).status_code == 413


def test_mark_up_is_text(show: Show) -> None:
    script = "<script>alert(1)</script>"
    hostile = asking(build.ask(script, script, help=script), form_name=script, csp_name=script, version=script)
    hostile["sections"][0] |= {"title": script, "help": script}
    html = show(hostile, {"s0:q:name": script, "party": script, "product": script, "add": script, "document": script})
    assert script not in html
    assert words(script) in html
    assert script not in show(script, status=422)


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


def test_what_can_t_be_read_or_drawn_is_named(show: Show) -> None:
    html = show(
        {"jurisdiction_product_id": ["x"], "schema": {"sections": [{"title": "A", "fields": [{}, {"key": "b"}]}]}}
    )
    assert "at jurisdiction_product_id" in html
    assert "at schema.sections.0.fields.0" in html
    assert 'id="trial"' not in html
    html = show(asking(*({"key": f"k{number}"} for number in range(900))))
    assert "No faults and no warnings" in html
    assert "too many questions to show" in html
    assert "s0:q:" not in html
    text = json.dumps(PLAIN).replace('"key": "name"', '"key": "first", "key": "name"')
    assert words("“key” stands twice in one object") in show(text)


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


def test_everything_that_differs_is_said() -> None:
    kind = ask("kind", "Kind", "select", options=["Trading", "Fund"])
    old = schema(
        "Form",
        entity("The company", kind, ask("seat", "Seat"), ask("was", "Was")),
        entity("Gone", ask("x", "X")),
        role("director", "Directors", ask("born", "Born")),
        role("member", "Members"),
    )
    new = schema(
        "Form",
        entity(
            "The company",
            kind | {"options": ["Fund", "Trust"], "required": False},
            ask("seat", "Registered seat", "textarea", depends_on=when("kind", "Fund")),
            ask("new", "New"),
        ),
        entity("Come", ask("y", "Y"), depends_on=when("kind", "Fund")),
        role(
            "director",
            "Directors",
            ask("born", "Born"),
            minimum=2,
            allows_corporate=True,
            conditional_min={"field": "kind", "value": "Fund", "minimum": 3},
        ),
    )
    found = dict(differences(FormSchema.model_validate(old), FormSchema.model_validate(new)))
    assert found["New sections"] == [("Come", "")]
    assert found["Removed sections"] == [("Gone", ""), ("Members", "")]
    assert ("The company: New", "") in found["New questions"]
    assert {("The company: Was", ""), ("Gone: X", "")} <= set(found["Removed questions"])
    assert found["Questions worded differently"] == [("The company: Registered seat", "was “Seat”")]
    assert found["Changed questions"] == [
        ("The company: Kind", "now optional; new options: Trust; without the options: Trading"),
        (
            "The company: Registered seat",
            "type: textarea (was: text); asked: only if you answer Fund to “Kind” (was: always)",
        ),
    ]
    assert found["Changed sections and roles"] == [
        (
            "Directors",
            "minimum: 2 (was: 1); other minimum: 3 if you answer Fund to “Kind” (was: none); "
            "may be: people, companies (was: people)",
        )
    ]


def test_what_becomes_of_open_drafts_is_counted(complete: Draft, owner: Any) -> None:
    item = newer()
    assert effects_on_drafts(factories.product(), complete.application.product_id).count == 0, "the same version"
    assert effects_on_drafts(item, "nothing").count == 0
    drafts = effects_on_drafts(item, complete.application.product_id)
    assert (drafts.count, drafts.looked_at, drafts.losing, drafts.asked_more) == (1, 1, 1, 1)
    assert ("Activity", 1, True) in drafts.lost
    services.submit(complete, by=owner, declaration="I declare it.")
    assert effects_on_drafts(item, complete.application.product_id).count == 0


def test_of_a_version_its_day_is_shown_and_no_answer(show: Show, complete: Draft, settings: Any) -> None:
    item = newer()
    document = item.model_dump(mode="json", exclude={"form", "document"}) | {"schema": item.document}
    [used] = versions_in_use(complete.application.product_id)
    html = show(document, {"other": f"version:{used.pk}"})
    assert "1 open draft has another version" in html
    assert "1 would lose answers" in html
    assert "Activity: lost in 1 draft" in html
    assert "Larkfield" not in html
    assert "Questions worded differently" in html or "New questions" in html
    settings.TIME_ZONE = "Pacific/Chatham"
    item = newer()
    document = item.model_dump(mode="json", exclude={"form", "document"}) | {"schema": item.document}
    [used] = versions_in_use(complete.application.product_id)
    # There it is 00:15 of the next day.
    SchemaVersion.objects.update(created_at=datetime(2026, 11, 24, 10, 30, tzinfo=UTC))
    assert "The version in use since 25 November 2026" in show(document, {"other": f"version:{used.pk}"})


def test_a_version_can_be_pasted_and_the_catalogs_is_compared_by_itself(show: Show, full_catalog: None) -> None:
    item = deepcopy(catalog_items()[0])
    assert "Both ask the same" in show(item)
    item["schema"]["sections"][0]["fields"][0]["label"] = "Asked otherwise"
    assert "Asked otherwise" in show(item)
    assert "Questions worded differently" in show(item)
    item = catalog_items()[0]
    assert "Both ask the same" in show(item, {"other_schema": json.dumps(item["schema"])})
    assert "can’t be compared" in show(item, {"other_schema": "{"})
    assert "can’t be read" in show(item, {"other_schema": '{"schema": 7, "product": 7}'})
    assert "<script>alert" not in show(item, {"other_schema": "<script>alert(1)</script>"})


def test_a_version_that_only_a_deleted_application_uses_is_not_listed(owner: Any) -> None:
    used = factories.new_draft(owner)
    unused = factories.new_draft(owner, schema=factories.VARIED_SCHEMA)
    both = {used.application.schema_version_id, unused.application.schema_version_id}
    product_id = used.application.product_id
    assert {version.pk for version in versions_in_use(product_id)} == both
    Application.objects.filter(pk=unused.application.pk).update(deleted_at=datetime.now(UTC))
    assert [version.pk for version in versions_in_use(product_id)] == [used.application.schema_version_id]
    assert versions_in_use("another product") == []


def tree(*sections: Any) -> RuleTree:
    return RuleTree(FormSchema.model_validate(schema("Form", *sections)))


def nodes(of: RuleTree) -> Iterator[RuleNode]:
    todo = list(of.roots)
    while todo:
        node = todo.pop()
        yield node
        todo += node.children


def drawn(node: RuleNode, depth: int = 0) -> list[str]:
    lines = [f"{'  ' * depth}{node.when}{': ' if node.when else ''}{node.label}{' …' if node.goes_on else ''}"]
    return lines + [line for child in node.children for line in drawn(child, depth + 1)]


def test_what_an_answer_opens_stands_below_it() -> None:
    of = tree(
        entity(
            "The company",
            ask("kind", "Kind", "select", options=["Trading", "Fund"]),
            ask("licence", "Licence", depends_on=when("kind", "Fund")),
            ask("number", "Number", depends_on=when("licence", "yes")),
        ),
        entity("Fund", ask("audited", "Audited?", "boolean"), ask("x", "X"), depends_on=when("kind", "Fund")),
        entity("Audit", ask("auditor", "Auditor", depends_on=when("audited", True))),
        role("director", "Directors", conditional_min={"field": "kind", "value_in": ["Fund"], "minimum": 3}),
    )
    assert [line for root in of.roots for line in drawn(root)] == [
        "Kind",
        "  If Fund: Licence",
        "    If yes: Number",
        "  If Fund: Section “Fund”",
        "    Audited?",
        "      If Yes: Auditor",
        "  If Fund: At least 3 under “Directors”",
    ]
    assert of.count == 5
    assert of.circles == []


def test_circles_are_named_and_marked() -> None:
    of = tree(
        entity("One", ask("a", "A", depends_on=when("b", "x")), ask("c", "C", depends_on=when("a", "x"))),
        entity("Two", ask("b", "B", depends_on=when("a", "x")), ask("s", "S", depends_on=when("s", "x"))),
        entity("Three", ask("in", "Inside"), depends_on=when("in", "x")),
        entity("Free", ask("d", "D"), ask("e", "E", depends_on=when("d", "x"))),
    )
    assert {frozenset(circle) for circle in of.circles} == {
        frozenset(circle) for circle in ({"A", "B"}, {"S"}, {"Inside", "Section “Three”"})
    }
    assert {node.label for node in nodes(of) if node.in_circle} == {"A", "B", "S", "Inside", "Section “Three”"}
    assert {node.label for node in nodes(of) if not node.in_circle} == {"C", "D", "E"}


def test_a_deep_tree_goes_on_further_down_and_many_circles_are_shown(show: Show) -> None:
    steps = [ask(f"k{depth}", f"Step {depth}", depends_on=when(f"k{depth - 1}", "x")) for depth in range(1, 60)]
    of = tree(entity("The company", ask("k0", "Step 0"), *steps))
    labels = [node.label for node in nodes(of) if not node.goes_on]
    assert sorted(labels) == sorted(f"Step {depth}" for depth in range(60))
    begun = {root.id for root in of.roots}
    assert {node.id for node in nodes(of) if node.goes_on} <= begun
    assert max(len(line) - len(line.lstrip()) for root in of.roots for line in drawn(root)) <= 6
    roles = [role(f"r{n}", f"Role {n}", ask("a", "A", depends_on=when_any("a", "x", "y"))) for n in range(90)]
    assert "20 circles" in show(schema("Form", *roles))
