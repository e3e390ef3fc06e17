"""A change is answered with 404, and the service has no list of such records: its own code decides what is missing."""

from typing import Any

import pytest

from formation_portal.applications import services
from formation_portal.applications.draft import Draft
from formation_portal.relay.service_profile import current_profile
from formation_portal.relay.wording import state_words
from formation_portal.relay.worker import drain
from tests.relay.calls.test_missing_calls import CANNOT, NO_ROUTE, NOT_FOUND, received
from tests.relay.conftest import row
from tests.relay.flaky_transport import Failure, FlakyTransport, answers

__all__ = ["received"]

pytestmark = pytest.mark.django_db(databases=["default", "service"])


@pytest.mark.parametrize(
    ("answer", "words", "can_edit"),
    [(NO_ROUTE, CANNOT, False), (NOT_FOUND, "The service no longer has it", True)],
    ids=["no route", "not found"],
)
def test_without_a_list_the_code_tells_whether_the_record_or_the_call_is_missing(
    received: Draft, transport: FlakyTransport, owner: Any, answer: Failure, words: str, can_edit: bool
) -> None:
    transport.fail_on("PATCH entities/share-classes", answer)
    transport.fail_on("GET entities/share-classes", answers(405))
    [share_class] = received.share_classes
    services.save_share_class(received, share_class, {"share_class.name": "Common"}, version=1, by=owner)
    drain()
    assert state_words(row("share_class", "ordinary")) == words
    assert current_profile().can_edit is can_edit
