"""Compares what the portal wants at the service with what the service has kept, thing by thing.

What is wanted is read from the answers by the contract's own functions, not by the relay's, so that no fault of the
relay can hide itself.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from formation_portal.applications.drafts import Draft, open_draft
from formation_portal.applications.models import Application, document_subject
from formation_portal.applications.rows import PartyRow, ShareClassRow
from formation_portal.contract import wire
from formation_portal.contract.lifecycle import State
from formation_portal.relay.kinds import Kind, Name, holding_subject
from formation_portal.relay.models import TWINS, UNCLEAR, Delivery, DeliveryState

from .kept import Kept

# What a service without keys and lists leaves to an agent, where the answer to its creation was lost.
_MAY_BE_HELD = (Kind.ENTITY, Kind.SHARE_CLASS, Kind.SHAREHOLDING, Kind.DOCUMENT)
# What `probe_service` leaves behind where nothing can be removed.
_PROBES = "probe-"
# What has no record of its own, so that there is nothing to count.
_UNCOUNTED = (Kind.ENTITY_CSP, Kind.PARTY_CSP, Kind.SHARE_CLASS_CSP, Kind.SUBMISSION)
_AT_REST = (DeliveryState.DONE, DeliveryState.HELD)


@dataclass(frozen=True, slots=True)
class Thing:
    """One thing that should be at the service, with its values as a text; parties and classes by their tokens."""

    name: Name
    value: str


@dataclass
class Findings:
    """What the comparison has counted, and a sentence for each thing that is wrong."""

    lost: int = 0
    duplicated: int = 0
    held: int = 0
    stuck: int = 0

    def __post_init__(self) -> None:
        self.sentences: list[str] = []

    def say(self, number: str, application: Application, what: str, times: int = 1) -> None:
        """Count something."""
        setattr(self, number, getattr(self, number) + times)
        self.sentences.append(f"{number}: {application.reference} {what}")


def compare(kept: list[Kept], *, may_hold: bool) -> Findings:
    """Every application against everything that the service has kept under its reference."""
    found = Findings()
    by_reference: dict[str, list[Kept]] = {}
    for one in kept:
        by_reference.setdefault(one.reference, []).append(one)
    for application in Application.objects.order_by("pk"):
        there = by_reference.pop(application.reference, [])
        rows = {row.name: row for row in application.deliveries.all()}
        _compare_one(found, open_draft(application), rows, there)
        _judge_states(found, application, rows, may_hold=may_hold)
    for reference, strangers in by_reference.items():
        if reference.startswith(_PROBES):
            continue
        found.duplicated += len(strangers)
        found.sentences.append(f"duplicated: {len(strangers)} entities of nobody, {reference}")
    return found


def _compare_one(found: Findings, draft: Draft, rows: dict[Name, Delivery], kept: list[Kept]) -> None:
    wanted = list(things(draft))
    tokens = {row.remote_id: row.subject for row in rows.values() if row.remote_id}
    there = _things_there(kept, tokens)
    for thing in wanted:
        row = rows.get(thing.name)
        has = _bound(kept, row) if row is not None and thing.name[0] in _BOUND else there[thing.name[0]]
        if row is None or (row.state == DeliveryState.DONE and not has[thing.value]):
            found.say("lost", draft.application, f"{thing.name}: {thing.value}")
    for kind, has in there.items():
        if kind not in _UNCOUNTED:
            much = has - Counter(thing.value for thing in wanted if thing.name[0] is kind)
            for value, times in much.items():
                found.say("duplicated", draft.application, f"{kind}, {times} too many: {value}", times)


def _judge_states(found: Findings, application: Application, rows: dict[Name, Delivery], *, may_hold: bool) -> None:
    for row in rows.values():
        what = f"{row.kind} {row.subject}: {row.state} {row.reason}"
        if row.state == DeliveryState.HELD:
            found.held += 1
            is_allowed = row.name[0] in _MAY_BE_HELD and row.reason in (UNCLEAR, TWINS)
            if not (may_hold and is_allowed):
                found.say("stuck", application, what)
        elif row.state != DeliveryState.DONE and not (
            row.state == DeliveryState.QUEUED and _is_behind_something_held(row, rows)
        ):
            found.say("stuck", application, what)


def _is_behind_something_held(row: Delivery, rows: dict[Name, Delivery]) -> bool:
    held = {name for name, other in rows.items() if other.state == DeliveryState.HELD}
    if row.name[0] is Kind.SUBMISSION:
        return bool(held)
    needs = {(Kind(kind), subject) for kind, subject in row.needs}
    return bool(needs & held) or any(_is_behind_something_held(rows[name], rows) for name in needs if name in rows)


def is_at_rest() -> bool:
    """Whether the relay has nothing more to do by itself."""
    due = Delivery.objects.filter(next_at__isnull=False).exists()
    return not due and not Delivery.objects.filter(state=DeliveryState.SENDING).exists()


def things(draft: Draft) -> Iterator[Thing]:
    """Everything that should be at the service."""
    standing = draft.standing
    yield Thing((Kind.ENTITY, ""), _text(wire.entity_properties(standing)))
    yield Thing((Kind.ENTITY_CSP, ""), _text(wire.csp_data(standing)))
    for share_class in draft.share_classes:
        yield from _of_share_class(draft, share_class)
    for party in draft.parties:
        yield from _of_party(draft, party)
    yield from _papers(draft, None)
    for (party_token, class_token), holding in draft.holdings.items():
        name = (Kind.SHAREHOLDING, holding_subject(party_token, class_token))
        yield Thing(name, _text([party_token, class_token, holding.shares]))
    if not draft.application.is_open:
        yield Thing((Kind.SUBMISSION, ""), State.SUBMITTED_FOR_REVIEW.value)


def _of_share_class(draft: Draft, row: ShareClassRow) -> Iterator[Thing]:
    yield Thing((Kind.SHARE_CLASS, row.token), _text(wire.share_class_body(draft.standing, row.record)))
    yield Thing((Kind.SHARE_CLASS_CSP, row.token), _text([row.token, wire.csp_data(draft.standing, row.record)]))


def _of_party(draft: Draft, row: PartyRow) -> Iterator[Thing]:
    yield Thing((Kind.PARTY, row.token), _text(wire.party_body(draft.standing, row.record)))
    yield Thing((Kind.PARTY_CSP, row.token), _text([row.token, wire.csp_data(draft.standing, row.record)]))
    yield from _papers(draft, row)


def _papers(draft: Draft, row: PartyRow | None) -> Iterator[Thing]:
    token = row.token if row else None
    for slot, paper in draft.documents_of(row).items():
        yield Thing((Kind.DOCUMENT, document_subject(token, slot)), _text([token or "", slot, paper.sha256]))


def _things_there(kept: list[Kept], tokens: dict[str, str]) -> dict[Kind, Counter[str]]:
    """What the service has, by kind. What has an id that nothing here is bound to keeps that id."""

    def local(remote_id: str) -> str:
        return tokens.get(remote_id, remote_id)

    csp = [(local(holder), data) for one in kept for holder, data in one.csp_data.items() if holder]
    holder_kinds = (Kind.PARTY_CSP, Kind.SHARE_CLASS_CSP)
    found = {
        Kind.ENTITY: (one.properties for one in kept),
        Kind.ENTITY_CSP: (one.csp_data[""] for one in kept),
        Kind.SHARE_CLASS: (body for one in kept for body in one.share_classes.values()),
        Kind.PARTY: (body for one in kept for body in one.parties.values()),
        Kind.DOCUMENT: ([local(party), *more] for one in kept for party, *more in one.documents),
        Kind.SHAREHOLDING: ([local(a), local(b), held] for one in kept for a, b, held in one.shareholdings),
        **{kind: ([holder, data] for holder, data in csp) for kind in holder_kinds},
    }
    counted = {kind: Counter(map(_text, some)) for kind, some in found.items()}
    # A service that has no such state was not told, which the portal says.
    counted[Kind.SUBMISSION] = Counter(one.status or State.SUBMITTED_FOR_REVIEW.value for one in kept)
    return counted


# What is bound to a record by its id must be that record.
_BOUND = (Kind.ENTITY, Kind.PARTY, Kind.SHARE_CLASS)


def _bound(kept: list[Kept], row: Delivery) -> Counter[str]:
    records = {
        Kind.ENTITY: {one.id: one.properties for one in kept},
        Kind.PARTY: {name: body for one in kept for name, body in one.parties.items()},
        Kind.SHARE_CLASS: {name: body for one in kept for name, body in one.share_classes.items()},
    }[row.name[0]]
    return Counter([_text(records[row.remote_id])] if row.remote_id in records else [])


def _text(value: Any) -> str:
    """The same for the same values, whatever their order. 1 and 1.0 are one number."""
    return json.dumps(_plain(value), sort_keys=True)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
