"""Starting, submitting, withdrawing, deleting; the history has each move, and `workflow` is told within it."""

from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from formation_portal.applications import services
from formation_portal.applications.access import Collaborator
from formation_portal.applications.draft import Draft
from formation_portal.applications.models import Application, Change, Party, SectionAnswers
from formation_portal.contract.lifecycle import State
from tests import factories
from tests.encrypted_rows import rows_with
from tests.subscribing import subscribe


def stored(draft: Draft) -> Application:
    return Application.objects.get(pk=draft.application.pk)


def test_a_complete_application_is_submitted_once_and_can_be_withdrawn_once(complete: Draft, owner: Any) -> None:
    other_window = factories.again(complete)
    services.submit(complete, by=owner, declaration="All true")
    kept = stored(complete)
    assert kept.status is State.SUBMITTED_FOR_REVIEW
    assert (kept.submitted_by_id, kept.declaration, kept.submissions) == (owner.pk, "All true", 1)
    assert kept.submitted_at is not None
    assert list(Application.objects.submitted()) == [kept]
    with pytest.raises(services.Closed):
        services.submit(other_window, by=owner)
    assert stored(complete).submissions == 1
    services.withdraw(complete, by=owner)
    assert stored(complete).status is State.WITHDRAWN
    with pytest.raises(services.Closed):
        services.withdraw(complete, by=owner)


def test_an_incomplete_application_is_not_submitted(draft: Draft, owner: Any) -> None:
    with pytest.raises(services.NotReady) as caught:
        services.submit(draft, by=owner)
    assert caught.value.needs == draft.needs
    assert stored(draft).status is State.DRAFT


def test_a_returned_application_can_be_changed_and_submitted_again(
    complete: Draft, owner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    moves: list[tuple[State, Any]] = []

    def record(draft: Draft, by: Any) -> None:
        assert transaction.get_connection().in_atomic_block
        moves.append((draft.application.status, by))

    subscribe(monkeypatch, "application_moved", record)
    services.submit(complete, by=owner)
    first = stored(complete)
    assert first.first_submitted_at == first.submitted_at
    for _ in range(2):
        services.reopen(complete, reason="The formation service asks for a change")
    assert moves == [(State.SUBMITTED_FOR_REVIEW, owner), (State.RETURNED_FOR_CHANGES, None)], "each move once"
    factories.save_section(complete, "the-company", {"entity.name": "Other"}, by=owner)
    services.submit(complete, by=owner)
    again = stored(complete)
    assert (again.submissions, again.first_submitted_at) == (2, first.submitted_at)
    assert again.submitted_at != first.submitted_at
    [entry] = rows_with(Change.objects, what="The formation service asks for a change")
    assert entry.who is None


def test_an_agents_transitions_follow_one_another(complete: Draft, owner: Any, agent: Any) -> None:
    services.submit(complete, by=owner)
    with pytest.raises(services.Closed):
        services.advance(complete, "approve", by=agent)
    assert complete.application.status is State.SUBMITTED_FOR_REVIEW
    for transition, status in (
        ("begin_review", State.IN_REVIEW),
        ("return", State.RETURNED_FOR_CHANGES),
        ("submit", State.SUBMITTED_FOR_REVIEW),
        ("begin_review", State.IN_REVIEW),
        ("approve", State.SUBMITTED_TO_CSP),
        ("record_incorporation", State.INCORPORATED),
    ):
        if transition == "submit":
            services.submit(complete, by=owner)
        else:
            services.advance(complete, transition, by=agent, note=f"About {transition}")
        assert complete.application.status is status
    moves = complete.application.changes.filter(who=agent).order_by("pk")
    assert [move.named["note"] for move in moves][:2] == ["About begin_review", "About return"]


def test_a_deleted_draft_leaves_nothing_that_was_typed_and_nobodys_address(complete: Draft, owner: Any) -> None:
    now = timezone.now()
    asked = {"email": "ada@example.com", "right": "view", "asked_at": now, "expires_at": now}
    Collaborator.objects.create(application=complete.application, **asked)
    services.delete_draft(complete.application, by=owner)
    assert not Application.objects.visible_to(owner).exists()
    for model in (Party, SectionAnswers, Collaborator):
        assert not model.objects.exists()
    assert [change.what for change in Change.objects.all()] == ["Deleted the draft"]
    with pytest.raises(services.Closed):
        services.delete_draft(stored(complete), by=owner)


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
