"""Two versions of a form: everything that differs is said, and what it would do to open drafts is counted."""

import json
from copy import deepcopy
from datetime import UTC, datetime
from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application, SchemaVersion
from formation_portal.contract.schema import FormSchema
from formation_portal.desk.workbench.versions import differences, effects_on_drafts, versions_in_use
from tests import factories
from tests.applications.test_new_form import newer
from tests.embedded_catalog import catalog_items
from tests.other_service.schema_builders import ask, entity, role, schema, when

from .conftest import Show

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def difference(old: Any, new: Any) -> dict[str, list[tuple[str, str]]]:
    return dict(differences(FormSchema.model_validate(old), FormSchema.model_validate(new)))


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
    found = difference(old, new)
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


def test_what_customers_typed_is_not_shown(show: Show, complete: Draft) -> None:
    item = newer()
    document = item.model_dump(mode="json", exclude={"form", "document"}) | {"schema": item.document}
    [used] = versions_in_use(complete.application.product_id)
    html = show(document, {"other": f"version:{used.pk}"})
    assert "1 open draft has another version" in html
    assert "1 would lose answers" in html
    assert "Activity: lost in 1 draft" in html
    assert "Larkfield" not in html
    assert "Questions worded differently" in html or "New questions" in html


def test_the_day_of_a_version_is_that_of_the_time_zone(show: Show, complete: Draft, settings: Any) -> None:
    settings.TIME_ZONE = "Pacific/Chatham"
    item = newer()
    document = item.model_dump(mode="json", exclude={"form", "document"}) | {"schema": item.document}
    [used] = versions_in_use(complete.application.product_id)
    # There it is 00:15 of the next day.
    SchemaVersion.objects.update(created_at=datetime(2026, 11, 24, 10, 30, tzinfo=UTC))
    assert "The version in use since 25 November 2026" in show(document, {"other": f"version:{used.pk}"})


def test_a_version_can_be_pasted(show: Show) -> None:
    item = catalog_items()[0]
    assert "Both ask the same" in show(item, {"other_schema": json.dumps(item["schema"])})
    assert "can’t be compared" in show(item, {"other_schema": "{"})
    assert "can’t be read" in show(item, {"other_schema": '{"schema": 7, "product": 7}'})
    assert "<script>alert" not in show(item, {"other_schema": "<script>alert(1)</script>"})


def test_the_catalogs_version_is_compared_by_itself(show: Show, full_catalog: None) -> None:
    item = deepcopy(catalog_items()[0])
    assert "Both ask the same" in show(item)
    item["schema"]["sections"][0]["fields"][0]["label"] = "Asked otherwise"
    assert "Asked otherwise" in show(item)
    assert "Questions worded differently" in show(item)


def test_a_version_that_only_a_deleted_application_uses_is_not_listed(owner: Any) -> None:
    used = factories.new_draft(owner)
    unused = factories.new_draft(owner, schema=factories.VARIED_SCHEMA)
    both = {used.application.schema_version_id, unused.application.schema_version_id}
    product_id = used.application.product_id
    assert {version.pk for version in versions_in_use(product_id)} == both
    Application.objects.filter(pk=unused.application.pk).update(deleted_at=datetime.now(UTC))
    assert [version.pk for version in versions_in_use(product_id)] == [used.application.schema_version_id]
    assert versions_in_use("another product") == []
