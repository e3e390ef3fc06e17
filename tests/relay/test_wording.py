"""Whatever becomes of a thing or a call has words that an agent can read."""

from collections.abc import Iterator

import pytest

from formation_portal.applications.draft import Draft
from formation_portal.gateway.errors import CatalogUnavailable, GatewayError, NoAnswer, NotAuthorised
from formation_portal.relay.calls import outcomes
from formation_portal.relay.models import (
    OWN_REASONS,
    UNCLEAR,
    UNSUPPORTED,
    Attempt,
    Delivery,
    DeliveryState,
    Look,
    ResourceKind,
)
from formation_portal.relay.problems import block_approval
from formation_portal.relay.wording import Titles, conclusion_words, outcome_words, readable, state_words
from formation_portal.reviews.targets import WHOLE_APPLICATION, Target, TargetKind
from tests.encrypted_rows import update_each

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


@pytest.mark.django_db(databases=["default", "service"])
def test_each_thing_is_called_by_its_name(complete: Draft) -> None:
    rows = list(complete.application.deliveries.all())
    titles = {row.kind: Titles(rows).title(row) for row in rows}
    assert (titles["share_class"], titles["party"]) == ("Share class Ordinary", "Ada Lovelace, person")
    answers = Delivery(application=complete.application, kind="share_class_csp", subject="ordinary")
    assert Titles(rows).title(answers) == "Answers about share class Ordinary"


@pytest.mark.django_db(databases=["default", "service"])
def test_a_document_is_called_as_its_form_calls_it(complete: Draft) -> None:
    rows = list(complete.application.deliveries.all())
    passport = next(row for row in rows if row.kind == "document")
    assert Titles(rows).title(passport) == "Passport of Ada Lovelace"
    assert Titles(rows, slot_words={"Passport": "Passeport"}).title(passport) == "Passeport of Ada Lovelace"


def test_what_was_recorded_here_alone_says_that_the_service_is_to_be_informed() -> None:
    recorded = Delivery(state=DeliveryState.DONE, reason=UNSUPPORTED)
    assert state_words(recorded) == "The service cannot do this: tell it by e-mail, then record it here"


@pytest.mark.django_db(databases=["default", "service"])
@pytest.mark.parametrize(
    ("location", "target"),
    [
        ({"party": "ada", "field": "person.last_name"}, Target.of_field("ada", "person.last_name")),
        ({"share_class": "ordinary", "field": "share_class.name"}, Target.of_field("ordinary", "share_class.name")),
        ({"section": "funds", "field": "xy.capital"}, Target.of_field("funds", "xy.capital")),
        ({"party": "ada", "slot": "Passport"}, Target.of_document("ada", "Passport")),
        ({"party": "ada"}, Target(TargetKind.PARTY, "ada")),
        ({"section": "funds"}, Target(TargetKind.SECTION, "funds")),
        ({}, WHOLE_APPLICATION),
    ],
)
def test_what_the_service_refuses_leads_agents_to_its_place(
    complete: Draft, location: dict[str, str], target: Target
) -> None:
    problem = {"field": "", "code": "invalid", "message": "Not this"} | location
    update_each(complete.application.deliveries.filter(kind="party"), state=DeliveryState.REFUSED, problems=[problem])
    [blocker] = block_approval(complete)
    assert (blocker.target, blocker.text) == (target, "Not accepted by the formation service: Not this")


@pytest.mark.django_db(databases=["default", "service"])
@pytest.mark.parametrize(
    ("state", "kind", "is_in_the_way"),
    [
        (DeliveryState.REFUSED, "party", True),
        (DeliveryState.REFUSED, "submission", True),
        (DeliveryState.REFUSED, "status", False),
        (DeliveryState.DONE, "party", False),
        (DeliveryState.HELD, "party", False),
    ],
)
def test_only_what_the_service_has_refused_to_a_customer_is_in_the_way(
    complete: Draft, state: str, kind: str, is_in_the_way: bool
) -> None:
    Delivery.objects.create(application=complete.application, kind=kind, subject="one", position=9, state=state)
    found = block_approval(complete)
    assert [one.text for one in found] == ["Not accepted by the formation service: No reason given"] * is_in_the_way


def test_a_stable_word_is_made_readable() -> None:
    assert (readable("not_found"), readable(""), readable("x")) == ("Not found", "", "X")


@pytest.mark.parametrize(
    ("conclusion", "words"),
    [
        ("bound", "Found"),
        ("not there", "Not found"),
        ("it stands at in_review", "Status there: in review"),
        ("something_new", "Something new"),
    ],
)
def test_what_was_concluded_from_a_reading_has_words(conclusion: str, words: str) -> None:
    assert conclusion_words(Look(conclusion=conclusion)) == words


@pytest.mark.parametrize("kind", ["entity", "status", "submission"])
@pytest.mark.parametrize("status", [401, 403])
def test_only_a_change_of_status_may_lack_a_scope_of_its_own(kind: str, status: int) -> None:
    found = outcomes.outcome_of(NotAuthorised(status=status), kind=ResourceKind(kind), action="create")
    lacks_scope = (kind, status) == ("status", 403)
    assert (found.state, found.reason) == ("waiting", outcomes.NOT_ALLOWED if lacks_scope else outcomes.NOT_AUTHORISED)


def test_what_may_have_arrived_is_told_from_what_is_held_for_other_reasons() -> None:
    unclear = Delivery(state=DeliveryState.HELD, reason=UNCLEAR)
    assert state_words(unclear) == "It may have arrived, but the service’s records do not show it"
    assert state_words(Delivery(state=DeliveryState.HELD, reason="some_code")).endswith(": some code")
