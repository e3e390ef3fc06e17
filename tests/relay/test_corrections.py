"""What is changed after a return goes out in one piece, when the customer sends it."""

from typing import Any

import pytest

from formation_portal.applications import saving
from formation_portal.applications.drafts import Draft
from formation_portal.contract.lifecycle import State
from formation_portal.gateway import FormationService
from formation_portal.relay.board import TOGETHER_WORDS, deliveries
from formation_portal.relay.worker import drain
from formation_portal.service.models import Entity
from tests.applications import made

from .conftest import row, save
from .weather import Weather, refuses

pytestmark = pytest.mark.django_db(databases=["default", "service"])


@pytest.fixture
def came_back(complete: Draft, weather: Weather, owner: Any) -> Draft:
    """Submitted, received and returned."""
    saving.submit(complete, by=owner)
    drain()
    Entity.objects.update(status=State.RETURNED_FOR_CHANGES)
    saving.reopen(complete, reason="Please change the name")
    weather.clear()
    return complete


def test_no_correction_leaves_before_all_are_sent(came_back: Draft, weather: Weather, owner: Any) -> None:
    save(came_back, "the-company", {"entity.name": "Larkspur"}, owner)
    saving.add_party(came_back, "person", ["director"], made.ADA, by=owner, token="grace")
    assert drain() == 0
    assert weather.made == []
    board = deliveries(came_back.application)
    assert board.of_entity().words == TOGETHER_WORDS
    assert board.of_party("grace").words == TOGETHER_WORDS
    assert board.notices == ()


def test_all_of_it_leaves_once_it_is_sent(
    came_back: Draft, weather: Weather, service: FormationService, owner: Any
) -> None:
    save(came_back, "the-company", {"entity.name": "Larkspur"}, owner)
    save(came_back, "the-company", {"entity.name": "Larkspur & Co"}, owner)
    saving.submit(came_back, by=owner)
    drain()
    assert weather.bodies("PATCH entities") == [{"name": "Larkspur & Co"}], "in its last form, once"
    assert weather.deeds[-1] == "POST entities/submit"
    assert service.entity(row("entity").remote_id)["name"] == "Larkspur & Co"
    assert deliveries(came_back.application).overall.words == "Received"


def test_a_draft_that_was_never_submitted_goes_on_at_once(complete: Draft, weather: Weather, owner: Any) -> None:
    drain()
    save(complete, "the-company", {"entity.name": "Larkspur"}, owner)
    drain()
    assert weather.bodies("PATCH entities") == [{"name": "Larkspur"}]


def test_what_was_refused_and_is_corrected_counts_as_saved_until_it_is_sent(
    complete: Draft, weather: Weather, owner: Any
) -> None:
    weather.spoil("POST entities/parties", refuses("email", "No such address"), times=1)
    saving.submit(complete, by=owner)
    drain()
    complete.reload()
    complete.application.refresh_from_db()
    assert deliveries(complete.application).of_party("ada").is_refused
    saving.save_party(complete, complete.parties[0], {"person.email": "ada@example.org"}, version=1, by=owner)
    assert drain() == 0
    assert deliveries(complete.application).of_party("ada").words == TOGETHER_WORDS
    saving.submit(complete, by=owner)
    drain()
    assert deliveries(complete.application).overall.words == "Received"
