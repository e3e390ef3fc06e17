"""Encrypted columns: what is stored says nothing, is read as it was written, and opens in its own row alone."""

import json
from typing import Any

import pytest
from django.core.exceptions import FieldError
from django.db import connection
from hypothesis import example, given
from hypothesis import strategies as st

from formation_portal.applications.models import Change, Party, SectionAnswers
from formation_portal.core.encrypted_fields import Stored, column_values, update_rows
from formation_portal.core.encryption import UnreadableError
from formation_portal.desk.models import Case
from formation_portal.mail.models import Email
from formation_portal.relay.models import Decision

_TEXTS = st.text(st.characters(exclude_categories=()))
_NUMBERS = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False))
_ANSWERS = st.dictionaries(_TEXTS, st.one_of(_TEXTS, st.lists(_TEXTS), _NUMBERS, st.booleans(), st.none()))
RAW = SectionAnswers._meta.get_field("raw")


@given(_ANSWERS)
@example({"name": "Käte \ud83d", "number": 10**30, "amount": 0.1 + 0.2})
def test_answers_are_read_as_they_were_written(answers: dict[str, Any]) -> None:
    stored = RAW.stored(answers, SectionAnswers(application_id=7, section_key="funds"))
    assert RAW.opened(stored, 7, "funds") == answers == json.loads(json.dumps(answers))


@given(_TEXTS)
def test_texts_are_too_and_an_empty_one_stays_empty(text: str) -> None:
    column = Change._meta.get_field("what")
    row = Change(application_id=7)
    stored = column.stored(text, row)
    assert column.opened(stored, 7, row.row) == text
    assert (stored == "") == (text == "")


@pytest.mark.parametrize(
    ("model", "name", "context"),
    [
        (Email, "text", "letters.letter\x1ftext"),
        (Case, "takeover_reason", "desk.case\x1fword"),
        (Decision, "informed_payload", "relay.decision\x1ftold"),
    ],
)
def test_a_renamed_model_or_field_reads_what_was_written_before(model: Any, name: str, context: str) -> None:
    assert model._meta.get_field(name).context() == context


def stored_in(model: Any, name: str, pk: int) -> str:
    with connection.cursor() as cursor:
        column = model._meta.get_field(name).column
        cursor.execute(f"SELECT {column} FROM {model._meta.db_table} WHERE id = %s", [pk])
        [(content,)] = cursor.fetchall()
    return str(content)


def assert_unreadable(row: Any, name: str, content: str) -> None:
    type(row).objects.filter(pk=row.pk).update(**{name: Stored(content)})
    with pytest.raises(UnreadableError):
        getattr(type(row).objects.get(pk=row.pk), name)


@pytest.fixture
def row(ada: Any) -> Party:
    return Party.objects.get(pk=ada.pk)


@pytest.mark.django_db(databases=["default", "service"])
class TestRows:
    def test_the_database_has_no_word_of_it_and_stores_two_equal_values_differently(self, row: Party) -> None:
        content = stored_in(Party, "raw", row.pk)
        assert "Lovelace" not in content
        assert row.raw["person.last_name"] == "Lovelace"
        twin = Party.objects.create(application=row.application, kind="person", token="twin", raw=row.raw)
        assert stored_in(Party, "raw", twin.pk) != content

    def test_what_was_put_into_another_row_is_not_read(self, row: Party) -> None:
        other = Party.objects.create(application=row.application, kind="person", token="other", raw={})
        assert_unreadable(other, "raw", stored_in(Party, "raw", row.pk))
        # Nor what was put into another column.
        change = row.application.changes.first()
        assert_unreadable(change, "named", stored_in(Change, "changes", change.pk))

    def test_one_letter_changed_is_noticed(self, row: Party) -> None:
        content = stored_in(Party, "raw", row.pk)
        assert_unreadable(row, "raw", content[:40] + ("A" if content[40] != "A" else "B") + content[41:])
        # Nor is plain text read.
        assert_unreadable(row, "raw", '{"person.last_name": "Forged"}')

    def test_no_plain_value_is_written_or_looked_for(self, row: Party) -> None:
        with pytest.raises(FieldError):
            Party.objects.update(raw={"person.last_name": "Plain"})
        for lookup in ({"raw": {"person.last_name": "Lovelace"}}, {"raw__icontains": "Lovelace"}):
            with pytest.raises(FieldError):
                Party.objects.filter(**lookup).exists()

    def test_a_column_is_read_when_it_is_asked_for_and_saved_as_it_was_when_nobody_has_read_it(
        self, row: Party
    ) -> None:
        before = stored_in(Party, "raw", row.pk)
        Party.objects.get().save()
        assert stored_in(Party, "raw", row.pk) == before
        assert Party.objects.defer("raw", "token").get().raw == row.raw

    def test_rows_are_changed_at_once(self, row: Party) -> None:
        Party.objects.create(application=row.application, kind="person", token="twin", raw=row.raw)
        rows = list(Party.objects.order_by("pk"))
        for number, party in enumerate(rows):
            party.raw, party.position = {"person.last_name": f"No {number}"}, number
        update_rows(rows, ["raw", "position"])
        changed = [({"person.last_name": "No 0"}, 0), ({"person.last_name": "No 1"}, 1)]
        assert [(party.raw, party.position) for party in rows] == changed
        assert [(party.raw, party.position) for party in Party.objects.order_by("pk")] == changed
        row.raw = {"person.last_name": "New"}
        Party.objects.filter(pk=row.pk).update(**column_values(row, ["raw", "version"]))
        assert Party.objects.get(pk=row.pk).raw == {"person.last_name": "New"}
