"""What stands in a column of answers is read as it was written."""

import json
from typing import Any

from django.db import connection
from hypothesis import example, given
from hypothesis import strategies as st

from formation_portal.applications.models import SectionAnswers

_TEXTS = st.text(st.characters(exclude_categories=()))
_NUMBERS = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False))
_ANSWERS = st.dictionaries(_TEXTS, st.one_of(_TEXTS, st.lists(_TEXTS), _NUMBERS, st.booleans(), st.none()))


@given(_ANSWERS)
@example({"name": "Käte \ud83d", "number": 10**30, "amount": 0.1 + 0.2})
def test_answers_are_read_as_they_were_written(answers: dict[str, Any]) -> None:
    column = SectionAnswers._meta.get_field("raw")
    written = column.get_db_prep_save(answers, connection)
    # PostgreSQL's driver writes it later, by the same writer.
    text = written if isinstance(written, str) else written.dumps(written.obj)
    assert column.from_db_value(text, None, connection) == answers == json.loads(text)
