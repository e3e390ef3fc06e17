"""What agents do with an application is told to the service: once, in order, and never taken back."""

from typing import Any

import pytest

from formation_portal.applications import saving
from formation_portal.applications.drafts import Draft
from formation_portal.applications.models import Change
from formation_portal.gateway import FormationService
from formation_portal.relay.board import TOGETHER_WORDS, deliveries
from formation_portal.relay.models import Delivery
from formation_portal.relay.moves import NOTE_LIMIT
from formation_portal.relay.renewal import renew
from formation_portal.relay.worker import Worker, drain
from formation_portal.service.models import Entity

from .conftest import reopened, row, save
from .moving import ROUND, STATUS, advance, submitted, there, told
from .weather import Weather

__all__ = ["submitted"]

pytestmark = pytest.mark.django_db(databases=["default", "service"])


def test_the_service_follows_through_two_rounds_to_the_incorporation(
    submitted: Draft, weather: Weather, service: FormationService, owner: Any, agent: Any
) -> None:
    for deed in (*ROUND, "submit", "begin_review", "approve", "record_incorporation"):
        if deed == "submit":
            save(submitted, "the-company", {"entity.name": "Larkspur"}, owner)
            saving.submit(submitted, by=owner)
        else:
            advance(submitted, deed, by=agent)
        drain()
        assert there() == submitted.application.state
    assert there() == "incorporated"
    assert service.entity(row("entity").remote_id)["name"] == "Larkspur"
    assert weather.deeds == [STATUS, STATUS, "PATCH entities", "POST entities/submit", STATUS, STATUS, STATUS]
    assert told(weather) == [
        "in_review", "returned_for_changes", "in_review", "submitted_to_csp", "incorporated",
    ]  # fmt: skip
    assert len({call.key for call in weather.made}) == len(weather.made)
    board = deliveries(submitted.application)
    assert [(title, view.words) for title, view in board.deeds] == [
        (title, "Received")
        for title in (
            "Submission", "Start of the review", "Return for changes",
            "Submission", "Start of the review", "Approval", "Incorporation",
        )
    ]  # fmt: skip
    assert board.overall.words == "Received"
    assert drain() == 0


def test_it_follows_to_the_end_from_whatever_was_not_told_in_time(
    complete: Draft, weather: Weather, owner: Any, agent: Any
) -> None:
    saving.submit(complete, by=owner)
    advance(complete, *ROUND, by=agent)
    save(complete, "the-company", {"entity.name": "Larkspur"}, owner)
    saving.submit(complete, by=owner)
    advance(complete, "begin_review", "decline", by=agent)
    drain()
    first = weather.deeds.index("POST entities/submit")
    assert weather.deeds[first:] == ["POST entities/submit", STATUS, STATUS, "POST entities/submit", STATUS, STATUS]
    assert told(weather) == ["in_review", "returned_for_changes", "in_review", "rejected"]
    assert there() == "rejected"
    assert Entity.objects.get().properties["name"] == "Larkspur"


def test_the_note_goes_along_as_far_as_the_service_takes_it(submitted: Draft, weather: Weather, agent: Any) -> None:
    advance(submitted, "begin_review", by=agent)
    advance(submitted, "return", by=agent, note="Two\nlines\x0band " + "more " * NOTE_LIMIT)
    drain()
    first, second = weather.bodies(STATUS)
    assert first["note"] == ""
    assert second["note"].startswith("Two\nlines and more more")
    assert len(second["note"]) == NOTE_LIMIT
    assert Entity.objects.get().status_note == second["note"]


def test_corrections_wait_for_the_customer_and_the_return_itself_does_not(
    submitted: Draft, weather: Weather, owner: Any, agent: Any
) -> None:
    advance(submitted, "begin_review", by=agent)
    drain()
    advance(submitted, "return", by=agent)
    save(submitted, "the-company", {"entity.name": "Larkspur"}, owner)
    assert Worker().work_once() == 1
    assert drain() == 0
    assert weather.deeds == [STATUS, STATUS]
    assert there() == "returned_for_changes"
    board = deliveries(submitted.application)
    assert board.of_entity().words == TOGETHER_WORDS
    saving.submit(submitted, by=owner)
    drain()
    assert weather.deeds[2:] == ["PATCH entities", "POST entities/submit"]


def test_what_is_on_its_way_is_not_said_to_wait_for_the_customer(submitted: Draft, agent: Any) -> None:
    advance(submitted, *ROUND, by=agent)
    returned = Change.objects.get(moved_to="returned_for_changes")
    assert deliveries(submitted.application).of("status", str(returned.pk)).words == "Saved"
    advanced = Change.objects.get(moved_to="in_review")
    assert deliveries(submitted.application).of("status", str(advanced.pk)).words == "Sending"


def test_an_application_that_the_service_gave_back_has_no_deed_to_tell(
    submitted: Draft, weather: Weather, owner: Any
) -> None:
    saving.reopen(submitted, reason="The formation service asks for a change")
    assert not Delivery.objects.filter(kind="status").exists()
    Entity.objects.update(status="returned_for_changes")
    saving.submit(submitted, by=owner)
    drain()
    assert weather.deeds == ["POST entities/submit"]


def test_a_withdrawal_goes_ahead_and_the_rest_is_never_sent(
    submitted: Draft, weather: Weather, owner: Any, agent: Any
) -> None:
    advance(submitted, "begin_review", by=agent)
    drain()
    advance(submitted, "return", by=agent)
    saving.withdraw(submitted, by=owner)
    drain()
    assert told(weather) == ["in_review", "withdrawn"]
    assert there() == "withdrawn"
    assert drain() == 0
    assert deliveries(submitted.application).overall.words == "Received"


def test_a_withdrawal_before_anything_was_told_is_all_that_is_told(
    complete: Draft, weather: Weather, owner: Any, agent: Any
) -> None:
    drain()
    saving.submit(complete, by=owner)
    advance(complete, *ROUND, by=agent)
    saving.withdraw(complete, by=owner)
    weather.clear()
    drain()
    assert [(call.deed, call.body["status"]) for call in weather.made] == [(STATUS, "withdrawn")]


def test_what_was_told_stays_told_whatever_is_saved_later(submitted: Draft, weather: Weather, agent: Any) -> None:
    advance(submitted, "begin_review", by=agent, note="As it was")
    drain()
    Change.objects.filter(moved_to="in_review").update(named={"note": "As it is told by another version"})
    renew(reopened(submitted))
    assert drain() == 0
    assert weather.bodies(STATUS) == [{"status": "in_review", "note": "As it was"}]


def test_one_row_for_all_submissions_is_that_of_the_last(
    submitted: Draft, weather: Weather, owner: Any, agent: Any
) -> None:
    """As databases have it that are older than a row for each."""
    saving.reopen(submitted, reason="Please look again")
    Entity.objects.update(status="returned_for_changes")
    saving.submit(submitted, by=owner)
    Delivery.objects.filter(kind="submission", subject="2").delete()
    last = {"submission": 2}
    Delivery.objects.filter(kind="submission").update(wanted=last, sent=last, acknowledged=last, position=0)
    Entity.objects.update(status="submitted_for_review")
    advance(submitted, *ROUND, by=agent)
    drain()
    assert told(weather) == ["in_review", "returned_for_changes"]
    saving.submit(submitted, by=owner)
    drain()
    assert weather.deeds == [STATUS, STATUS, "POST entities/submit"]
    assert sorted(Delivery.objects.filter(kind="submission").values_list("subject", flat=True)) == ["", "3"]


def test_a_draft_that_was_never_submitted_pays_nothing(
    complete: Draft, owner: Any, django_assert_num_queries: Any
) -> None:
    fresh = reopened(complete)
    assert fresh.needs == ()
    with django_assert_num_queries(2):
        renew(fresh)


def test_renewing_takes_the_same_few_queries_after_however_many_rounds(
    submitted: Draft, owner: Any, agent: Any, django_assert_num_queries: Any
) -> None:
    for _ in range(4):
        advance(submitted, *ROUND, by=agent)
        saving.submit(submitted, by=owner)
    fresh = reopened(submitted)
    assert fresh.needs == ()
    Delivery.objects.filter(kind="status").first().delete()  # type: ignore[union-attr]
    Delivery.objects.filter(kind="party").update(position=9)
    with django_assert_num_queries(5):
        renew(fresh)
