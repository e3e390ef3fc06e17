"""Saving the sections about the entity."""

import logging
from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Change
from formation_portal.applications.services.transactions import OtherVersion
from formation_portal.contract.schema import Section
from tests import factories


def section_of(draft: Draft, key: str) -> Section:
    section = draft.schema.section(key)
    assert section is not None
    return section


def save(draft: Draft, key: str, raw: dict[str, Any], by: Any, version: int | None = None) -> services.SaveResult:
    stored = draft.version(key) if version is None else version
    return services.save_section(draft, section_of(draft, key), raw, version=stored, by=by)


def test_an_unreadable_answer_is_kept_as_typed(draft: Draft, owner: Any) -> None:
    typed = {"day": "31", "month": "Febuary", "year": "26"}
    save(draft, "the-company", {"xy.started_on": typed}, owner)
    kept = factories.again(draft)
    assert kept.raw(section_of(draft, "the-company"))["xy.started_on"] == typed
    assert "xy.started_on" in kept.record.answers.problems


def test_an_emptied_answer_is_gone(draft: Draft, owner: Any) -> None:
    save(draft, "the-company", {"entity.name": "Larkfield"}, owner)
    save(draft, "the-company", {"entity.name": ""}, owner)
    assert factories.again(draft).entity_raw == {}


def test_unknown_and_agent_provided_answers_are_ignored_and_logged_without_their_value(
    draft: Draft, owner: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        save(draft, "the-company", {"xy.office": {"street1": "Secret 1"}, "made.up": "Secret 2"}, owner)
    assert factories.again(draft).entity_raw == {}
    assert "made.up" in caplog.text
    assert "Secret" not in caplog.text


def test_a_stale_save_is_refused_with_both_texts(draft: Draft, owner: Any) -> None:
    other_tab = factories.again(draft)
    save(draft, "the-company", {"entity.name": "Larkfield"}, owner)
    result = save(other_tab, "the-company", {"entity.name": "Larkspur", "xy.activity": ""}, owner, version=0)
    assert result.conflicts == {"entity.name": OtherVersion("Larkspur", "Larkfield")}
    assert factories.again(draft).entity_raw == {"entity.name": "Larkfield"}
    assert other_tab.entity_raw == {"entity.name": "Larkfield"}


def test_saving_nothing_new_leaves_no_trace(draft: Draft, owner: Any) -> None:
    save(draft, "the-company", {"entity.name": "Larkfield"}, owner)
    revision, changes = draft.application.revision, Change.objects.count()
    save(draft, "the-company", {"entity.name": "Larkfield"}, owner)
    assert (factories.again(draft).application.revision, Change.objects.count()) == (revision, changes)


def test_a_question_that_two_sections_ask_has_one_answer_and_one_version(draft: Draft, owner: Any) -> None:
    save(draft, "the-company", {"xy.activity": "Trading"}, owner)
    seen = draft.version("funds")
    save(draft, "funds", {"xy.activity": "Holding company"}, owner)
    assert factories.again(draft).raw(section_of(draft, "the-company")) == {"xy.activity": "Holding company"}
    result = save(draft, "funds", {"xy.activity": "Trading"}, owner, version=seen)
    assert result.conflicts == {"xy.activity": OtherVersion("Trading", "Holding company")}


def test_the_history_tells_who_changed_what(draft: Draft, owner: Any) -> None:
    save(draft, "the-company", {"entity.name": "Larkfield"}, owner)
    save(draft, "the-company", {"entity.name": "Larkspur"}, owner)
    change = Change.objects.first()
    assert change is not None
    assert (change.who_id, change.what, change.holder) == (owner.pk, "Changed “The company”", "the-company")
    assert change.changes == [{"field": "entity.name", "label": "Name", "before": "Larkfield", "after": "Larkspur"}]
