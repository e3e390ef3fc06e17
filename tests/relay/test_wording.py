"""Whatever becomes of a thing or a call has words that an agent can read."""

from collections.abc import Iterator

import pytest

from formation_portal.gateway.errors import CatalogUnavailable, GatewayError, NoAnswer
from formation_portal.relay.calls import outcomes
from formation_portal.relay.models import OWN_REASONS, Attempt, Delivery, DeliveryState
from formation_portal.relay.wording import outcome_words, state_words

# No call ends in these: one is a family, the other is what a page says.
_NEVER_AN_END = {NoAnswer, CatalogUnavailable}


def errors(family: type[GatewayError] = GatewayError) -> Iterator[type[GatewayError]]:
    for error in family.__subclasses__():
        yield error
        yield from errors(error)


@pytest.mark.parametrize("state", DeliveryState.values)
@pytest.mark.parametrize("reason", ["", *sorted(OWN_REASONS), "some_code"])
def test_every_state_has_words_with_every_reason(state: str, reason: str) -> None:
    words = state_words(Delivery(state=state, reason=reason))
    assert words[0].isupper()
    assert "_" not in words


@pytest.mark.parametrize("error", sorted({one.__name__ for one in set(errors()) - _NEVER_AN_END}))
def test_every_end_of_a_call_has_words(error: str) -> None:
    assert " " in outcome_words(Attempt(outcome=error)), "no name of a class is for people"


@pytest.mark.parametrize(
    "outcome", [outcomes.IN_PROGRESS, outcomes.BOUND_ELSEWHERE, outcomes.TOO_LATE, "worker_died", "done", ""]
)
def test_every_word_of_the_relay_is_put_in_words(outcome: str) -> None:
    words = outcome_words(Attempt(outcome=outcome))
    assert words
    assert "_" not in words


def test_a_call_that_may_have_been_done_is_not_called_a_failure() -> None:
    for outcome in ("Unclear", "", "worker_died"):
        assert "fail" not in outcome_words(Attempt(outcome=outcome)).lower()
    assert "may have been processed" in outcome_words(Attempt(outcome="Unclear"))
