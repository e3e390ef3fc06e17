"""Screening checks: what is recorded of them, which file is refused, and how the required ones block an approval."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.reviews.checklist import approval_blockers, load_checklist
from formation_portal.reviews.decisions import APPROVE, DECLINE
from formation_portal.reviews.models import MAX_TEXT, ScreeningCheck, ScreeningKind, ScreeningOutcome
from formation_portal.reviews.screening import record_screening, remove_screening
from formation_portal.reviews.transactions import NotApprovable, ReviewRefused, changes_since
from tests import factories
from tests.documents import sample_files
from tests.reviews.deciding import decide, now

pytestmark = pytest.mark.django_db

SANCTIONS, PEP, REGISTER = ScreeningKind.SANCTIONS, ScreeningKind.PEP, ScreeningKind.REGISTER
CLEAR, CLEARED, MATCH = ScreeningOutcome.CLEAR, ScreeningOutcome.CLEARED, ScreeningOutcome.MATCH


def record(draft: Draft, by: Any, kind: str = SANCTIONS, outcome: str = CLEAR, **more: Any) -> ScreeningCheck:
    [ada] = draft.parties
    values = {"done_on": timezone.localdate(), "text": "World-Check, no hit"} | more
    return record_screening(draft, ada, kind=kind, outcome=outcome, by=by, **values)


def blockers(draft: Draft) -> list[tuple[str, str]]:
    return [(one.holder_name, one.text) for one in approval_blockers(draft, load_checklist(draft))]


def test_a_check_is_kept_with_its_file_and_colleagues_read_of_it(
    submitted: Draft, agent: Any, colleague: Any, settings: Any
) -> None:
    version = now(submitted)
    check = record(submitted, agent, upload=factories.upload(sample_files.pdf(), "report.pdf"))
    stored = ScreeningCheck.objects.get()
    assert (stored.pk, stored.label, stored.name, stored.by) == (check.pk, "Ada Lovelace", "report.pdf", agent)
    with stored.file.open() as file:
        assert file.read() == sample_files.pdf()
    assert sample_files.pdf() not in Path(stored.file.path).read_bytes()
    assert Path(stored.file.path).parent == settings.MEDIA_ROOT / submitted.application.reference
    [change] = changes_since(submitted.application, version, by=colleague)
    assert change.what == "recorded a screening check of Ada Lovelace"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (sample_files.encrypted(), "protected"),
        (b"PK\x03\x04 a spreadsheet", "PDF, JPEG or PNG"),
        (b"", "empty"),
    ],
)
def test_a_file_that_cannot_be_opened_is_refused_and_leaves_nothing(
    submitted: Draft, agent: Any, content: bytes, said: str, settings: Any
) -> None:
    with pytest.raises(ReviewRefused) as refused:
        record(submitted, agent, upload=factories.upload(content, "report.pdf"))
    assert refused.value.field == "file"
    assert said in refused.value.message
    assert not ScreeningCheck.objects.exists()
    stored = [path for path in settings.MEDIA_ROOT.rglob("*") if path.is_file()]
    assert len(stored) == submitted.application.documents.count()


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"kind": "palm_reading"}, "kind"),
        ({"outcome": "maybe"}, "outcome"),
        ({"done_on": timezone.localdate() + timedelta(days=2)}, "done_on"),
        ({"outcome": CLEARED, "text": " "}, "text"),
        ({"outcome": MATCH, "text": ""}, "text"),
        ({"text": "x" * (MAX_TEXT + 1)}, "text"),
    ],
    ids=["kind", "outcome", "future", "cleared unsaid", "match unsaid", "long"],
)
def test_a_check_that_no_form_would_take_is_refused(
    submitted: Draft, agent: Any, wrong: dict[str, Any], field: str
) -> None:
    with pytest.raises(ReviewRefused) as refused:
        record(submitted, agent, **wrong)
    assert refused.value.field == field
    assert not ScreeningCheck.objects.exists()


def test_what_the_setting_asks_for_blocks_the_approval_until_it_is_there(
    submitted: Draft, agent: Any, settings: Any
) -> None:
    settings.REQUIRED_SCREENING = (SANCTIONS, PEP, REGISTER)
    factories.accept_everything(submitted, by=agent)
    submitted.reload()
    # No register of companies has a person.
    assert blockers(submitted) == [
        ("Ada Lovelace", "Sanctions check missing"),
        ("Ada Lovelace", "PEP check missing"),
    ]
    with pytest.raises(NotApprovable):
        decide(submitted, APPROVE, by=agent, version=now(submitted))
    record(submitted, agent, PEP, CLEARED)
    record(submitted, agent, SANCTIONS, CLEAR)
    slip = record(submitted, agent, SANCTIONS, MATCH)
    assert blockers(submitted) == [("Ada Lovelace", "Sanctions check found a match")]
    assert remove_screening(submitted, slip.pk, by=agent)
    assert not remove_screening(submitted, slip.pk, by=agent)
    assert blockers(submitted) == []
    record(submitted, agent, SANCTIONS, MATCH)
    record(submitted, agent, SANCTIONS, CLEARED)
    assert blockers(submitted) == []
    decide(submitted, APPROVE, by=agent, version=now(submitted))


def test_nothing_is_recorded_or_asked_for_once_the_case_is_closed(submitted: Draft, agent: Any, settings: Any) -> None:
    settings.REQUIRED_SCREENING = (PEP,)
    check = record(submitted, agent)
    assert [holder.screening for holder in load_checklist(submitted).holders] == [(), ("PEP check missing",)]
    decide(submitted, DECLINE, text="No", reason="other", by=agent, version=now(submitted))
    with pytest.raises(services.Closed):
        record(submitted, agent)
    with pytest.raises(services.Closed):
        remove_screening(submitted, check.pk, by=agent)
    assert not any(holder.screening for holder in load_checklist(submitted).holders)
