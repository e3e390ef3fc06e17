"""Starting, submitting, withdrawing, deleting."""

from typing import Any

import pytest
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.access import Collaborator
from formation_portal.applications.draft import Draft, open_draft
from formation_portal.applications.models import Application, Change, Party, SectionAnswers
from formation_portal.contract.lifecycle import State
from tests import factories
from tests.encrypted_rows import rows_with
from tests.subscribing import subscribe


def stored(draft: Draft) -> Application:
    return Application.objects.get(pk=draft.application.pk)


def test_a_complete_application_is_submitted(complete: Draft, owner: Any) -> None:
    services.submit(complete, by=owner, declaration="All true")
    kept = stored(complete)
    assert kept.status is State.SUBMITTED_FOR_REVIEW
    assert (kept.submitted_by_id, kept.declaration, kept.submissions) == (owner.pk, "All true", 1)
    assert kept.submitted_at is not None
    assert list(Application.objects.submitted()) == [kept]


def test_an_incomplete_application_is_not(draft: Draft, owner: Any) -> None:
    with pytest.raises(services.NotReady) as caught:
        services.submit(draft, by=owner)
    assert caught.value.needs == draft.needs
    assert stored(draft).status is State.DRAFT


def test_a_returned_application_can_be_changed_and_submitted_again(complete: Draft, owner: Any) -> None:
    services.submit(complete, by=owner)
    services.reopen(complete, reason="The formation service asks for a change")
    factories.save_section(complete, "the-company", {"entity.name": "Other"}, by=owner)
    services.submit(complete, by=owner)
    assert stored(complete).submissions == 2
    [entry] = rows_with(Change.objects, what="The formation service asks for a change")
    assert entry.who is None


def test_the_first_submission_is_kept_through_the_next_ones(complete: Draft, owner: Any) -> None:
    services.submit(complete, by=owner)
    first = stored(complete)
    assert first.first_submitted_at == first.submitted_at
    Application.objects.filter(pk=first.pk).update(state=State.RETURNED_FOR_CHANGES)
    services.submit(open_draft(stored(complete)), by=owner)
    again = stored(complete)
    assert again.first_submitted_at == first.submitted_at
    assert again.submitted_at != first.submitted_at


def test_a_submitted_application_can_be_withdrawn_and_is_then_final(complete: Draft, owner: Any) -> None:
    services.submit(complete, by=owner)
    services.withdraw(complete, by=owner)
    assert stored(complete).status is State.WITHDRAWN
    with pytest.raises(services.Closed):
        services.withdraw(complete, by=owner)


def test_a_deleted_draft_leaves_nothing_that_was_typed(complete: Draft, owner: Any) -> None:
    services.delete_draft(complete.application, by=owner)
    assert not Application.objects.visible_to(owner).exists()
    assert not Party.objects.exists()
    assert not SectionAnswers.objects.exists()
    assert [change.what for change in Change.objects.all()] == ["Deleted the draft"]
    with pytest.raises(services.Closed):
        services.delete_draft(stored(complete), by=owner)


def test_a_deleted_draft_keeps_nobodys_address(draft: Draft, owner: Any) -> None:
    now = timezone.now()
    asked = {"email": "ada@example.com", "right": "view", "asked_at": now, "expires_at": now}
    Collaborator.objects.create(application=draft.application, **asked)
    services.delete_draft(draft.application, by=owner)
    assert not Collaborator.objects.exists()


def test_workflow_is_called_inside_the_transaction(draft: Draft, owner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers: list[int] = []

    def listen(draft: Draft, change: Any) -> None:
        numbers.append(draft.application.revision)
        if len(numbers) == 2:
            raise RuntimeError("cannot keep up")

    subscribe(monkeypatch, "application_changed", listen)
    services.add_party(draft, "person", ["director"], factories.ADA, by=owner)
    with pytest.raises(RuntimeError):
        services.add_party(draft, "person", ["director"], factories.ADA, by=owner)
    assert numbers == [1, 2]
    assert Party.objects.count() == 1


def test_nobody_submits_twice(complete: Draft, owner: Any) -> None:
    other_window = factories.again(complete)
    services.submit(complete, by=owner)
    with pytest.raises(services.Closed):
        services.submit(other_window, by=owner)
    assert factories.again(complete).application.submissions == 1
