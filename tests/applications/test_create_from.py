"""A copy has everything that was entered, and nothing in common with what it was copied from."""

from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError, connection
from django.test.utils import CaptureQueriesContext

from formation_portal.applications import services
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application, Change, Document
from formation_portal.contract.lifecycle import State
from tests import factories
from tests.applications.test_documents import files
from tests.subscribing import subscribe

pytestmark = pytest.mark.django_db


def test_a_copy_of_a_submitted_application_is_a_draft_that_needs_and_says_the_same(complete: Draft, owner: Any) -> None:
    [old_ada], [ordinary], [old] = complete.parties, complete.share_classes, complete.documents
    naming = {"xy.person.appointed_by": ordinary.token}
    services.save_party(complete, old_ada, naming, version=old_ada.version, by=owner)
    services.submit(complete, by=owner, declaration="All true")
    copied = factories.again(open_draft(services.create_copy(complete, by=owner)))
    kept = copied.application
    assert (kept.status, kept.submitted_at, kept.declaration, kept.submissions) == (State.DRAFT, None, "", 0)
    assert factories.again(complete).application.status is State.SUBMITTED_FOR_REVIEW
    assert kept.schema_version_id == complete.application.schema_version_id
    assert kept.product == complete.application.product
    assert (copied.needs, copied.entity_raw) == ((), complete.entity_raw)
    [ada], [share_class], [new] = copied.parties, copied.share_classes, copied.documents
    assert (ada.kind, ada.roles) == (old_ada.kind, old_ada.roles)
    assert ada.raw == factories.ADA | {"xy.person.appointed_by": share_class.token}
    assert share_class.raw == ordinary.raw
    assert list(copied.typed_holdings().values()) == ["10,000"]
    assert [holding.shares for holding in copied.holdings.values()] == [10000]
    # Its documents are files of their own.
    assert old.file.name != new.file.name
    assert (new.name, new.slot, new.sha256, new.size) == (old.name, old.slot, old.sha256, old.size)
    assert new.party == ada.model
    Path(old.file.path).unlink()
    with new.file.open("rb") as content:
        assert content.read() == factories.PDF
    assert Path(new.file.path).stat().st_nlink == 1


def test_what_is_parked_or_unreadable_is_copied_as_typed(draft: Draft, owner: Any) -> None:
    factories.save_section(draft, "the-company", factories.COMPANY | {"xy.goods": "Tea"}, by=owner)
    factories.save_section(draft, "funds", {"xy.capital": {"amount": "a lot", "currency": "USD"}}, by=owner)
    ada = services.add_party(draft, "person", ["director", "manager"], factories.ADA, by=owner)
    services.set_roles(draft, ada, ["manager"], by=owner)
    copied = open_draft(services.create_copy(draft, by=owner))
    assert copied.entity_raw == draft.entity_raw
    assert copied.party_models[0].raw == ada.raw
    assert [need.text for need in copied.needs] == [need.text for need in draft.needs]


def test_a_copy_that_fails_leaves_no_file_behind(complete: Draft, owner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(draft: Draft) -> None:
        raise IntegrityError

    before = files()
    subscribe(monkeypatch, "application_changed", refuse)
    with pytest.raises(IntegrityError):
        services.create_copy(complete, by=owner)
    assert files() == before
    assert Application.objects.count() == 1
    assert Change.objects.exclude(application=complete.application).count() == 0


def test_more_people_cost_no_more_queries(complete: Draft, owner: Any, django_assert_num_queries: Any) -> None:
    with CaptureQueriesContext(connection) as few:
        services.create_copy(complete, by=owner)
    for _ in range(5):
        services.add_party(complete, "person", ["director"], factories.ADA, by=owner)
    with django_assert_num_queries(len(few)):
        services.create_copy(complete, by=owner)


def test_a_document_whose_file_is_gone_is_asked_for_again(complete: Draft, owner: Any) -> None:
    Path(complete.documents[0].file.path).unlink()
    copied = open_draft(services.create_copy(complete, by=owner))
    assert (copied.documents, [need.code for need in copied.needs]) == ([], ["document"])


def test_a_disk_that_takes_no_more_says_so(complete: Draft, owner: Any, settings: Any) -> None:
    # A file stands where the folder would have to be made.
    settings.MEDIA_ROOT = Path(settings.MEDIA_ROOT) / "full"
    Path(settings.MEDIA_ROOT).write_text("")
    with pytest.raises(services.NotCopied):
        services.create_copy(complete, by=owner)
    assert (Application.objects.count(), Document.objects.count()) == (1, 1)
