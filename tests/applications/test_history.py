"""The history is kept in English and read in any language; what was written before that was possible is read too."""

from typing import Any

import pytest
from django.utils import translation

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Change

pytestmark = pytest.mark.django_db


def last(draft: Draft) -> Change:
    found = draft.application.changes.first()
    assert found is not None
    return found


def test_an_entry_is_said_in_the_readers_language(draft: Draft, owner: Any) -> None:
    with translation.override("fr"):
        services.add_party(draft, "person", ["director"], {"person.first_name": "Ada {name} %s"}, by=owner)
    assert last(draft).what == "Added Ada {name} %s"
    with translation.override("de"):
        assert last(draft).text == "Ada {name} %s hinzugefügt"
        assert last(draft).language == ""


def test_an_entry_that_was_written_before_says_its_english_and_its_language(draft: Draft) -> None:
    old = Change.objects.create(application=draft.application, what="Added Grace Hopper")
    with translation.override("de"):
        assert (old.text, old.language) == ("Added Grace Hopper", "en")
    assert old.language == ""


def test_a_sentence_is_cut_where_the_column_ends(draft: Draft) -> None:
    assert len(Change.new(draft.application, None, "Added {name}", name="x" * 600).what) == 300
