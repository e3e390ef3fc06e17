"""After 404, 405 or 501 the entity is read: either the record is gone, or the service lacks the call."""

from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.relay.delivery_status import deliveries_of
from formation_portal.relay.models import Reason, ServiceProfile
from formation_portal.relay.service_profile import current_profile, update_profile
from formation_portal.relay.wording import state_words
from formation_portal.relay.worker import drain
from formation_portal.service.models import Entity, Party
from tests.relay.conftest import row, save, save_class, save_first_party, submit
from tests.relay.flaky_transport import Failure, FlakyTransport, answers, lost_before

pytestmark = pytest.mark.django_db(databases=["default", "service"])

NOT_FOUND = answers(404, {"code": "not_found", "detail": "There is no such thing"})
NO_ROUTE = answers(404, "<h1>Not found</h1>")

CHANGE, SUBMIT, STATUS = "PATCH entities/parties", "POST entities/submit", "POST entities/status"
GONE = "The service no longer has it"
CANNOT = "The service cannot do this: tell it by e-mail, then record it here"


@pytest.fixture
def received(complete: Draft, transport: FlakyTransport) -> Draft:
    drain()
    transport.clear()
    return complete


@pytest.mark.parametrize("answer", [NOT_FOUND, answers(405)], ids=("404-code", "405"))
def test_a_change_without_a_call_is_impossible(received: Draft, transport: FlakyTransport, answer: Failure) -> None:
    transport.fail_on(CHANGE, answer)
    save_first_party(received, {"person.last_name": "King"})
    drain()
    held = row("party", "ada")
    assert (held.state, held.reason) == ("held", Reason.UNSUPPORTED)
    assert state_words(held) == CANNOT
    assert not current_profile().can_edit
    transport.clear()
    save_first_party(received, {"person.last_name": "Noel"})
    drain()
    assert transport.endpoints == [], "a missing call is not made again"


@pytest.mark.parametrize("answer", [NO_ROUTE, answers(501)], ids=("404", "501"))
def test_a_submission_that_the_service_lacks_is_told_by_hand_and_never_made_again(
    complete: Draft, transport: FlakyTransport, agent: Any, answer: Failure
) -> None:
    transport.fail_on(SUBMIT, answer)
    submit(complete)
    drain()
    drain()
    submission = row("submission")
    assert (submission.state, submission.reason, state_words(submission)) == ("done", Reason.UNSUPPORTED, CANNOT)
    assert ServiceProfile.objects.get().lacks == ["submission"]
    services.advance(complete, "begin_review", by=agent)
    services.advance(complete, "return", by=agent)
    Entity.objects.update(status="in_review")
    drain()
    submit(complete)
    drain()
    assert transport.endpoints.count(SUBMIT) == 1


@pytest.mark.parametrize("is_entity_gone", [True, False])
def test_a_record_that_is_not_shown_is_gone(received: Draft, transport: FlakyTransport, is_entity_gone: bool) -> None:
    if is_entity_gone:
        transport.fail_on(CHANGE, NOT_FOUND)
        transport.fail_on("GET entities", NOT_FOUND)
    else:
        Party.objects.all().delete()
    save_first_party(received, {"person.last_name": "King"})
    drain()
    assert state_words(row("party", "ada")) == GONE
    assert current_profile().can_edit, "it shows nothing about the call"
    save(received, "the-company", {"entity.name": "Larkspur"})
    drain()
    assert row("entity").state == "done"


def test_an_entity_that_only_its_list_of_parties_shows_is_there(received: Draft, transport: FlakyTransport) -> None:
    def hides_the_record(transport: FlakyTransport, request: Any, more: Any) -> Any:
        is_list = str(request.url).partition("?")[0].endswith("/parties")
        return transport._within.send(request) if is_list else NO_ROUTE(transport, request, more)

    transport.fail_on("GET entities", hides_the_record)
    transport.fail_on(SUBMIT, NO_ROUTE)
    submit(received)
    drain()
    assert (row("submission").state, row("submission").reason) == ("done", Reason.UNSUPPORTED)


@pytest.mark.parametrize("failure", [lost_before, answers(503, Retry_After="1")])
def test_nothing_is_concluded_before_it_is_read(received: Draft, transport: FlakyTransport, failure: Failure) -> None:
    transport.fail_on(CHANGE, NO_ROUTE, times=2)
    transport.fail_on("GET entities", failure, times=1)
    save_first_party(received, {"person.last_name": "King"})
    drain()
    party = row("party", "ada")
    assert (party.state, party.reason) == ("waiting", "")
    assert deliveries_of(received.application).of_party("ada").words == "Waiting to retry"
    assert current_profile().can_edit
    assert party.calls.latest("pk").outcome == "NotThere"
    drain()
    assert (row("party", "ada").state, row("party", "ada").reason) == ("held", Reason.UNSUPPORTED)


@pytest.mark.parametrize("setting", [True, False])
def test_the_setting_wins_over_the_probe(transport: FlakyTransport, settings: Any, setting: bool) -> None:
    update_profile(can_edit=not setting)
    assert current_profile().can_edit is not setting
    settings.FORMATION_SERVICE_EDITS = setting
    assert current_profile().can_edit is setting


def test_no_setting_makes_a_missing_call_again(received: Draft, transport: FlakyTransport, settings: Any) -> None:
    settings.FORMATION_SERVICE_EDITS = True
    transport.fail_on(CHANGE, answers(405))
    save_first_party(received, {"person.last_name": "King"})
    save(received, "the-company", {"entity.name": "Larkspur"})
    drain()
    assert (row("party", "ada").state, row("party", "ada").reason) == ("held", Reason.UNSUPPORTED)
    assert row("entity").state == "done", "other edits go on"
    drain()
    assert transport.endpoints.count(CHANGE) == 1


@pytest.mark.parametrize(
    ("answer", "words", "can_edit"),
    [(NO_ROUTE, CANNOT, False), (NOT_FOUND, GONE, True)],
    ids=["no route", "not found"],
)
def test_without_a_list_the_code_tells_whether_the_record_or_the_call_is_missing(
    received: Draft, transport: FlakyTransport, answer: Failure, words: str, can_edit: bool
) -> None:
    transport.fail_on("PATCH entities/share-classes", answer)
    transport.fail_on("GET entities/share-classes", answers(405))
    save_class(received, "ordinary", {"share_class.name": "Common"})
    drain()
    assert state_words(row("share_class", "ordinary")) == words
    assert current_profile().can_edit is can_edit
