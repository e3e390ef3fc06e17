"""A draft keeps at most what a field may hold, and an application at most so much: what is longer is said, not kept."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from formation_portal.applications import fields, services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Change
from formation_portal.applications.services import transactions
from formation_portal.contract.fields.parsing import LINE_LIMIT, LINES_LIMIT
from formation_portal.contract.fields.types import UnknownField, read_field
from formation_portal.contract.fields.values import AnswerError
from tests.field_types import FIELD_TYPES
from tests.markup import Markup

pytestmark = pytest.mark.django_db(databases=["default", "service"])

NAME, PURPOSE = "entity.name", "charter.purpose"


def save(client: Client, draft: Draft, version: int, **answers: str) -> Any:
    posted = {f"q:{name}": text for name, text in answers.items()} | {"version": str(version)}
    return client.post(f"/applications/{draft.application.reference}/sections/the-company/", posted)


def stored(draft: Draft) -> dict[str, Any]:
    return open_draft(draft.application).entity_raw


def test_what_is_longer_than_its_field_is_shown_and_told_and_what_was_there_stays(
    draft: Draft, as_owner: Client
) -> None:
    save(as_owner, draft, 0, name="Larkfield")
    long = "x" * (LINE_LIMIT + 1)
    answer = save(as_owner, draft, 1, name=long, purpose="To hold")
    assert answer.status_code == 422
    page = Markup(answer.content.decode())
    assert page.one("input", name="q:name").attributes["value"] == long
    assert "Shorten “Name” to 500 characters or fewer. It has 501" in answer.content.decode()
    assert (stored(draft)[NAME], stored(draft)[PURPOSE]) == ("Larkfield", "To hold")


def test_a_long_text_that_is_changed_too_often_is_shown_and_told_and_what_was_there_stays(
    draft: Draft, as_owner: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transactions, "LONG_CHANGE", 300)
    monkeypatch.setattr(transactions, "HISTORY_AN_HOUR", 3_000)
    for version in range(9):
        text = "ab"[version % 2] * 400
        answer = save(as_owner, draft, version, name="Larkfield", purpose=text)
        if answer.status_code != 302:
            break
    assert answer.status_code == 422
    assert 3 <= version <= 5
    html = answer.content.decode()
    assert "Save “Purpose” again in an hour" in html
    assert text in html
    assert stored(draft)[PURPOSE] == "ab"[(version - 1) % 2] * 400
    # What is short is saved as ever.
    assert save(as_owner, draft, version, name="Kestrel").status_code == 302
    assert stored(draft)[NAME] == "Kestrel"
    # An hour later there is room again.
    Change.objects.filter(application=draft.application).update(at=timezone.now() - timedelta(minutes=61))
    assert save(as_owner, draft, version + 1, name="Kestrel", purpose=text).status_code == 302


def test_an_application_keeps_no_more_than_it_may(
    draft: Draft, as_owner: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("formation_portal.applications.draft.MAX_CHARACTERS", 300)
    assert save(as_owner, draft, 0, purpose="x" * 250).status_code == 302
    full = save(as_owner, draft, 1, name="Larkfield", purpose="y" * 290)
    assert full.status_code == 422
    assert "has reached its limit of text" in full.content.decode()
    assert (stored(draft)[NAME], stored(draft)[PURPOSE]) == ("Larkfield", "x" * 250)
    assert save(as_owner, draft, 2, purpose="y" * 20).status_code == 302, "shorter is taken"
    assert fields.MAX_CHARACTERS >= 2_000_000


@pytest.mark.parametrize("field_type", [*FIELD_TYPES, "made-up"])
@given(text=st.text(min_size=LINE_LIMIT - 2, max_size=LINE_LIMIT + 20))
def test_whatever_is_too_long_could_not_be_read_either(field_type: str, text: str) -> None:
    spec = read_field({"key": "a", "field_type": field_type, "options": ["One"]})
    raw: Any = dict.fromkeys(spec.parts, text) if spec.parts else [text] if spec.many else text
    if spec.too_long_message(raw) and not text.isspace():
        with pytest.raises(AnswerError):
            spec.clean(raw)
    assert spec.max_length == (LINES_LIMIT if field_type == "textarea" else LINE_LIMIT)
    assert isinstance(spec, UnknownField) == (field_type == "made-up")


def test_a_number_of_shares_is_kept_as_typed_up_to_its_beginning(complete: Draft, owner: Any) -> None:
    pair = (complete.parties[0].token, complete.share_classes[0].token)
    services.save_holdings(complete, {pair: "9" * 1_000_000}, by=owner)
    assert open_draft(complete.application).typed_holdings()[pair] == "9" * 200
