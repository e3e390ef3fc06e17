"""Whatever people do, whichever calls fail, whatever the service honours: in the end it holds what the draft says."""

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from formation_portal.gateway import FormationService
from formation_portal.relay import service_profile
from formation_portal.relay.models import Attempt, Delivery
from formation_portal.relay.service_profile import EMBEDDED_CAPABILITIES, Capabilities
from formation_portal.relay.worker import drain
from tests import factories
from tests.relay.flaky_transport import FlakyTransport, answers, lost_after, lost_before, unreachable

from .test_random_histories import actions, assert_the_service_holds, do

pytestmark = pytest.mark.django_db(databases=["default", "service"])

SOMEBODY_ELSE = {
    "id": "ent_foreign",
    "party_id": "pty_foreign",
    "client_reference": "FP-FOREIGN",
    "name": "Somebody else's",
    "first_name": "Grace",
    "document_key": "Another slot",
}
FAULTS = {
    "unreachable": unreachable,
    "lost before": lost_before,
    "lost after": lost_after,
    "busy": answers(429, Retry_After="1"),
    "broken": answers(500),
    "no JSON": answers(201, "<html>"),
    "somebody else": answers(201, {"data": SOMEBODY_ELSE}),
}
# One fault, then the worker's turn: what meets three in a row is an agent's by design.
storms = st.tuples(st.just("storm"), st.sampled_from(sorted(FAULTS)), st.integers(0, 6))


def storm(transport: FlakyTransport, fault: str, sunny_calls: int) -> None:
    """So many calls go well; the next meets the fault."""
    transport.fail_on("", lambda here, request, more: here._within.send(request), times=sunny_calls)
    transport.fail_on("", FAULTS[fault], times=1)
    drain()
    transport.failures.clear()


@pytest.mark.parametrize(
    "capabilities",
    [
        EMBEDDED_CAPABILITIES,
        Capabilities(lists=EMBEDDED_CAPABILITIES.lists),
    ],
    ids=["keys", "lists-and-whole-answers"],
)
@settings(
    max_examples=12,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(history=st.lists(st.one_of(actions, storms), min_size=4, max_size=16))
def test_the_service_ends_up_with_what_the_draft_says_after_any_storm(
    history: list[Any], owner: Any, transport: FlakyTransport, service: FormationService, capabilities: Capabilities
) -> None:
    transport.clear()
    transport.forgets_keys = not capabilities.honours_keys
    service_profile.update_profile(capabilities=capabilities, can_edit=True)
    draft = factories.new_draft(owner)
    for action in history:
        if action[0] == "storm":
            storm(transport, *action[1:])
        else:
            do(draft, action, owner)
    for _ in range(8):
        drain()
    rows = Delivery.objects.filter(application=draft.application)
    assume(not rows.filter(state="held").exists())
    assert not rows.exclude(state__in=("done", "queued")).exists(), list(rows)
    assert_the_service_holds(draft, service)
    assert len(service.entities(client_reference=draft.application.reference)) == 1
    assert not Attempt.objects.filter(ended_at=None).exists()
