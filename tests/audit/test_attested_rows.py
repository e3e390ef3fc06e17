"""What the digest of a row depends on, which rows need an entry, and which entries are looks at documents."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Change
from formation_portal.audit import attestation
from formation_portal.audit.models import is_document_access
from formation_portal.core.encrypted_fields import Stored
from formation_portal.desk.models import Case
from formation_portal.desk.queue import claims
from tests import factories
from tests.accounts.people import person
from tests.audit.test_attestation import findings

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def test_a_moment_is_attested_alike_in_every_time_zone() -> None:
    at = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
    elsewhere = at.astimezone(timezone(timedelta(hours=13, minutes=45)))
    written, read = (attestation.digests([Case(pk=7, claimed_at=moment)]) for moment in (elsewhere, at))
    assert written == read
    assert written != attestation.digests([Case(pk=7, claimed_at=at + timedelta(hours=1))])


def test_a_row_that_nobody_can_read_is_attested_by_no_digest(draft: Draft) -> None:
    change = Change.objects.create(application=draft.application, what="Added Grace Hopper")
    Change.objects.filter(pk=change.pk).update(what=Stored("00000000:" + "A" * 80))
    [digests] = attestation.digests([Change.objects.get(pk=change.pk)]).values()
    assert digests == {str(change.pk): ""}


def test_a_case_that_nobody_has_claimed_needs_no_entry(submitted: Draft, agent: Any) -> None:
    claims.claim([submitted.application.pk], by=agent)
    other = factories.submitted_draft(person("grace@example.com"))
    assert Case.objects.filter(pk=other.application.pk).exists()
    assert findings() == ()


@pytest.mark.parametrize(
    ("subject", "detail", "is_access"),
    [
        ("7", '{"way": "file"}', True),
        ("7", '{"way": "page"}', True),
        ("7", '{"way": "small picture"}', False),
        ("7", '{"way": "screening file"}', False),
        ("7", "{}", False),
        ("7", "", False),
        ("7", '["file"]', False),
        ("7", '{"way": "file"', False),
        ("ada", '{"way": "file"}', False),
        ("", '{"way": "page"}', False),
    ],
)
def test_a_look_at_a_document_has_its_number_and_a_way_to_read_it(subject: str, detail: str, is_access: bool) -> None:
    assert is_document_access(subject, detail) is is_access
