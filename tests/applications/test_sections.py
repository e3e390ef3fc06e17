"""Saving the sections about the entity."""

import logging
from functools import partial
from typing import Any

import pytest

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Change
from formation_portal.applications.services.transactions import OtherVersion
from tests import factories


@pytest.fixture
def save(owner: Any) -> Any:
    """Saves answers to a section, by its key."""
    return partial(factories.save_section, by=owner)


def test_an_unreadable_answer_is_kept_as_typed(draft: Draft, save: Any) -> None:
    typed = {"day": "31", "month": "Febuary", "year": "26"}
    save(draft, "the-company", {"xy.started_on": typed})
    kept = factories.again(draft)
    assert kept.raw(kept.schema.section("the-company"))["xy.started_on"] == typed
    assert "xy.started_on" in kept.record.answers.problems


def test_unknown_and_agent_provided_answers_are_ignored_and_logged_without_their_value(
    draft: Draft, save: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        save(draft, "the-company", {"xy.office": {"street1": "Secret 1"}, "made.up": "Secret 2"})
    assert factories.again(draft).entity_raw == {}
    assert "made.up" in caplog.text
    assert "Secret" not in caplog.text


def test_a_stale_save_is_refused_with_both_texts(draft: Draft, save: Any) -> None:
    other_tab = factories.again(draft)
    save(draft, "the-company", {"entity.name": "Larkfield"})
    result = save(other_tab, "the-company", {"entity.name": "Larkspur", "xy.activity": ""}, version=0)
    assert result.conflicts == {"entity.name": OtherVersion("Larkspur", "Larkfield")}
    assert factories.again(draft).entity_raw == other_tab.entity_raw == {"entity.name": "Larkfield"}


def test_a_question_that_two_sections_ask_has_one_answer_and_one_version(draft: Draft, save: Any) -> None:
    save(draft, "the-company", {"xy.activity": "Trading"})
    seen = draft.version("funds")
    save(draft, "funds", {"xy.activity": "Holding company"})
    kept = factories.again(draft)
    assert kept.raw(kept.schema.section("the-company")) == {"xy.activity": "Holding company"}
    result = save(draft, "funds", {"xy.activity": "Trading"}, version=seen)
    assert result.conflicts == {"xy.activity": OtherVersion("Trading", "Holding company")}


def test_the_history_tells_who_changed_what_and_nothing_of_a_save_that_changes_nothing(
    draft: Draft, owner: Any, save: Any
) -> None:
    save(draft, "the-company", {"entity.name": "Larkfield"})
    save(draft, "the-company", {"entity.name": "Larkspur"})
    revision, entries = draft.application.revision, Change.objects.count()
    save(draft, "the-company", {"entity.name": "Larkspur"})
    assert (factories.again(draft).application.revision, Change.objects.count()) == (revision, entries)
    change = Change.objects.first()
    assert (change.who_id, change.what, change.holder) == (owner.pk, "Changed “The company”", "the-company")
    assert change.changes == [{"field": "entity.name", "label": "Name", "before": "Larkfield", "after": "Larkspur"}]
    save(draft, "the-company", {"entity.name": ""})
    assert factories.again(draft).entity_raw == {}
