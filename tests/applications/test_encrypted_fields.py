"""Encrypted columns: what is stored says nothing, is read as it was written, and opens in its own row alone."""

import json
from typing import Any

import pytest
from django.core.exceptions import FieldError
from django.db import connection
from hypothesis import example, given
from hypothesis import strategies as st

from formation_portal.applications.draft import Draft
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
        [(said,)] = cursor.fetchall()
    return str(said)


def person(draft: Draft, token: str) -> Party:
    raw = {"person.last_name": "Same"}
    return Party.objects.create(application=draft.application, kind="person", token=token, raw=raw)


@pytest.mark.django_db(databases=["default", "service"])
class TestRows:
    def test_the_database_has_no_word_of_it(self, complete: Draft) -> None:
        ada = complete.party("ada")
        assert ada is not None
        said = stored_in(Party, "raw", ada.model.pk)
        assert "Lovelace" not in said
        assert Party.objects.get(pk=ada.model.pk).raw["person.last_name"] == "Lovelace"

    def test_two_equal_values_are_stored_differently(self, complete: Draft) -> None:
        rows = [person(complete, token) for token in ("first", "second")]
        first, second = (stored_in(Party, "raw", row.pk) for row in rows)
        assert first != second

    def test_what_was_put_into_another_row_is_not_read(self, complete: Draft) -> None:
        first, second = (person(complete, token) for token in ("first", "second"))
        Party.objects.filter(pk=second.pk).update(raw=Stored(stored_in(Party, "raw", first.pk)))
        with pytest.raises(UnreadableError):
            _ = Party.objects.get(pk=second.pk).raw

    def test_what_was_put_into_another_column_is_not_read(self, complete: Draft) -> None:
        change = Change.objects.filter(application=complete.application)[0]
        Change.objects.filter(pk=change.pk).update(named=Stored(stored_in(Change, "changes", change.pk)))
        with pytest.raises(UnreadableError):
            _ = Change.objects.get(pk=change.pk).named

    def test_one_letter_changed_is_noticed(self, complete: Draft) -> None:
        row = Party.objects.filter(application=complete.application)[0]
        said = stored_in(Party, "raw", row.pk)
        Party.objects.filter(pk=row.pk).update(raw=Stored(said[:40] + ("A" if said[40] != "A" else "B") + said[41:]))
        with pytest.raises(UnreadableError):
            _ = Party.objects.get(pk=row.pk).raw

    def test_plain_text_is_not_read_either(self, complete: Draft) -> None:
        row = Party.objects.filter(application=complete.application)[0]
        Party.objects.filter(pk=row.pk).update(raw=Stored('{"person.last_name": "Forged"}'))
        with pytest.raises(UnreadableError):
            _ = Party.objects.get(pk=row.pk).raw

    def test_no_plain_value_is_written_or_looked_for(self, complete: Draft) -> None:
        rows = Party.objects.filter(application=complete.application)
        with pytest.raises(FieldError):
            rows.update(raw={"person.last_name": "Plain"})
        with pytest.raises(FieldError):
            rows.filter(raw={"person.last_name": "Lovelace"}).exists()
        with pytest.raises(FieldError):
            rows.filter(raw__icontains="Lovelace").exists()

    def test_what_nobody_has_read_is_saved_as_it_was(self, complete: Draft) -> None:
        row = Party.objects.filter(application=complete.application)[0]
        before = stored_in(Party, "raw", row.pk)
        Party.objects.get(pk=row.pk).save()
        assert stored_in(Party, "raw", row.pk) == before

    def test_a_deferred_column_is_read_when_it_is_asked_for(self, complete: Draft) -> None:
        row = Party.objects.defer("raw", "token").filter(application=complete.application).order_by("pk")[0]
        assert row.raw == Party.objects.get(pk=row.pk).raw

    def test_many_rows_are_changed_at_once(self, complete: Draft) -> None:
        rows = list(Party.objects.filter(application=complete.application))
        for number, row in enumerate(rows):
            row.raw, row.position = {"person.last_name": f"No {number}"}, number
        update_rows(rows, ["raw", "position"])
        assert [row.raw["person.last_name"] for row in rows] == [f"No {number}" for number in range(len(rows))]
        found = [(row.raw, row.position) for row in Party.objects.filter(pk__in=[row.pk for row in rows])]
        assert sorted(found, key=lambda one: one[1]) == [(row.raw, row.position) for row in rows]

    def test_one_row_is_changed_by_an_update(self, complete: Draft) -> None:
        row = Party.objects.filter(application=complete.application)[0]
        row.raw = {"person.last_name": "New"}
        Party.objects.filter(pk=row.pk).update(**column_values(row, ["raw", "version"]))
        assert Party.objects.get(pk=row.pk).raw == {"person.last_name": "New"}
