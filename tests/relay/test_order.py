"""Which delivery is next is a pure choice."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from formation_portal.relay.models import Delivery, Reason, ResourceKind
from formation_portal.relay.order import next_delivery
from formation_portal.relay.service_profile import EMBEDDED_CAPABILITIES, Capabilities, Profile

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
EDITS = Profile(can_edit=True, capabilities=EMBEDDED_CAPABILITIES)
NO_EDITS = Profile(can_edit=False, capabilities=Capabilities())


def made(kind: ResourceKind, subject: str = "", *, pk: int, state: str = "queued", **more: Any) -> Delivery:
    needs = [] if kind is ResourceKind.ENTITY else [["entity", ""]]
    fields = {"wanted": {}, "needs": needs, "next_at": NOW} | more
    return Delivery(pk=pk, kind=kind, subject=subject, state=state, **fields)


def entity(**more: Any) -> Delivery:
    fields: dict[str, Any] = {"state": "done", "remote_id": "ent_1", "acknowledged": {}} | more
    return made(ResourceKind.ENTITY, pk=1, **fields)


def chosen(*rows: Delivery, profile: Profile = EDITS, lets_go: bool = True, **more: Any) -> int | None:
    row = next_delivery(rows, now=NOW, profile=profile, may_send=lets_go, **more)
    return row.pk if row else None


def test_everything_waits_for_the_entity() -> None:
    waiting = entity(state="waiting", remote_id="", next_at=NOW + timedelta(seconds=9))
    assert chosen(waiting, made(ResourceKind.PARTY, "a", pk=2)) is None
    assert chosen(entity(state="held", remote_id=""), made(ResourceKind.PARTY, "a", pk=2)) is None
    assert chosen(entity(), made(ResourceKind.PARTY, "a", pk=2)) == 2


def test_the_order_is_that_of_the_kinds_then_of_the_form() -> None:
    rows = [
        made(ResourceKind.PARTY, "late", pk=2, position=2),
        made(ResourceKind.PARTY, "early", pk=3, position=1),
        made(ResourceKind.SHARE_CLASS, "c", pk=4),
    ]
    assert chosen(entity(), *rows) == 4
    assert chosen(entity(), *rows[:2]) == 3


def test_removals_come_first_and_backwards() -> None:
    gone: dict[str, Any] = {"wanted": None, "acknowledged": {}, "remote_id": "x"}
    rows = [
        made(ResourceKind.SHARE_CLASS, "new", pk=2),
        made(ResourceKind.PARTY, "a", pk=3, **gone),
        made(ResourceKind.SHAREHOLDING, "a/c", pk=4, **gone),
    ]
    assert chosen(entity(), *rows) == 4
    assert chosen(entity(), *rows[:2]) == 3


def test_only_one_call_is_in_flight() -> None:
    sending = made(ResourceKind.SHARE_CLASS, "c", pk=2, state="sending")
    assert chosen(entity(), sending, made(ResourceKind.PARTY, "a", pk=3)) is None


def test_a_row_waits_for_the_things_that_it_names() -> None:
    holding = made(ResourceKind.SHAREHOLDING, "a/c", pk=4, needs=[["entity", ""], ["party", "a"], ["share_class", "c"]])
    party = made(ResourceKind.PARTY, "a", pk=2, state="done", remote_id="pty_1")
    share_class = made(ResourceKind.SHARE_CLASS, "c", pk=3, state="refused")
    assert chosen(entity(), party, share_class, holding) is None
    share_class.remote_id = "sc_1"
    assert chosen(entity(), party, share_class, holding) == 4


@pytest.mark.parametrize("state", ["queued", "unknown", "held"])
def test_a_submission_waits_for_everything_else(state: str) -> None:
    party = made(ResourceKind.PARTY, "a", pk=2, state=state, needs=[["entity", ""], ["share_class", "none"]])
    submission = made(ResourceKind.SUBMISSION, pk=3)
    assert chosen(entity(), party, submission) is None
    party.state = "done"
    assert chosen(entity(), party, submission) == 3


def status_deliveries(*states: str) -> list[Delivery]:
    """A submission, the start of its review, the return, and the next submission, each with its state."""
    kinds = (ResourceKind.SUBMISSION, ResourceKind.STATUS, ResourceKind.STATUS, ResourceKind.SUBMISSION)
    return [
        made(kind, str(index), pk=10 + index, position=index, state=state)
        for index, (kind, state) in enumerate(zip(kinds, states, strict=True), start=1)
    ]


@pytest.mark.parametrize(
    ("states", "first"),
    [
        ("queued queued queued queued", 2),
        ("refused queued queued queued", 2),
        ("sending queued queued queued", None),
        ("unknown queued queued queued", 11),
        ("done queued queued queued", 12),
        ("done unknown queued queued", 12),
        ("done held queued queued", None),
        ("done done queued queued", 13),
        ("done done held queued", None),
        ("done done done queued", 2),
    ],
)
def test_a_correction_goes_when_the_transitions_before_it_are_done(states: str, first: int | None) -> None:
    correction = made(ResourceKind.PARTY, "a", pk=2)
    assert chosen(entity(), correction, *status_deliveries(*states.split())) == first


def test_transitions_go_in_their_order_without_waiting_for_corrections() -> None:
    later = status_deliveries("done", "done", "queued", "done")
    assert chosen(entity(), *later, made(ResourceKind.PARTY, "a", pk=2), lets_go=False) == 13
    rows = status_deliveries("queued", "queued", "queued", "queued")
    for expected in (11, 12, 13, 14):
        assert chosen(entity(), *reversed(rows)) == expected
        rows[expected - 11].state = "done"
    assert chosen(entity(), *rows) is None


@pytest.mark.parametrize("state", ["queued", "held", "refused"])
def test_a_withdrawal_waits_for_no_transition_that_was_not_sent(state: str) -> None:
    withdrawal = made(ResourceKind.STATUS, "", pk=3)
    assert chosen(entity(), *status_deliveries("done", state, "held", "held"), withdrawal) == 3


def test_what_is_in_doubt_holds_up_only_others_of_its_kind() -> None:
    unknown = made(ResourceKind.SHARE_CLASS, "c", pk=2, state="unknown", sent={}, next_at=NOW + timedelta(seconds=60))
    assert chosen(entity(), unknown, made(ResourceKind.PARTY, "a", pk=3)) == 3
    assert chosen(entity(), unknown, made(ResourceKind.SHARE_CLASS, "d", pk=3)) is None
    assert chosen(entity(), unknown) is None
    assert chosen(entity(), unknown, is_eager=True) == 2
    assert chosen(entity(), unknown, is_eager=True, tried={2}) is None
    assert chosen(entity(), unknown, is_eager=True, profile=NO_EDITS) == 2


def test_nothing_goes_before_it_may() -> None:
    assert chosen(entity(), made(ResourceKind.PARTY, "a", pk=2), lets_go=False) is None


def test_a_held_edit_is_open_only_where_the_service_can_edit_and_gave_an_id() -> None:
    held = made(
        ResourceKind.PARTY,
        "a",
        pk=2,
        state="held",
        reason=Reason.UNSUPPORTED,
        acknowledged={},
        remote_id="pty_1",
    )
    assert chosen(entity(), held) == 2
    assert chosen(entity(), held, profile=NO_EDITS) is None
    held.remote_id = ""
    assert chosen(entity(), held) is None
    refused_clearing = made(ResourceKind.ENTITY_CSP, pk=4, state="held", reason=Reason.UNSUPPORTED, acknowledged={})
    assert chosen(entity(), refused_clearing, is_eager=True) is None
    other = made(ResourceKind.PARTY, "b", pk=3, state="held", reason="unclear")
    assert chosen(entity(), other, is_eager=True) is None
