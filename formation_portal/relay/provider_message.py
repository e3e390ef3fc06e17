"""Write a message to the provider with questions about a delivery: ready to send, without personal data."""

from collections.abc import Iterator
from datetime import UTC

from .calls import bodies
from .calls.routes import COLLECTIONS, CREATE, REMOVE, is_posted_again, sent_action, wanted_action
from .models import ENTITY, Delivery, Reason, ResourceKind, referenced_names
from .wording import outcome_words, state_words

_STEPS = {ResourceKind.SUBMISSION: "submit", ResourceKind.STATUS: "status"}


def provider_message(row: Delivery, *, ids: dict[tuple[ResourceKind, str], str]) -> str:
    return "\n".join((*_facts(row, ids), "", *_calls(row), *_lookups(row), "Please tell us:", *_questions(row), ""))


def call_words(row: Delivery) -> str:
    kind = row.resource_kind
    path = "/api/v1/entities"
    if kind.is_csp:
        path += "/{id}/csp-data"
    elif kind is not ResourceKind.ENTITY:
        path += "/{id}/" + (_STEPS.get(kind) or COLLECTIONS[kind].step)
    action = sent_action(row) if row.key else wanted_action(row)
    if action == REMOVE and not kind.is_csp:
        return f"DELETE {path}/{row.remote_id}"
    if action == CREATE or is_posted_again(kind):
        return f"POST {path}"
    return f"PATCH {path}/{row.remote_id}"


def _facts(row: Delivery, ids: dict[tuple[ResourceKind, str], str]) -> Iterator[str]:
    reference = row.application.reference
    yield f"About {reference}: {state_words(row)}"
    yield ""
    yield f"Call: {call_words(row)}"
    yield f"Our reference (client_reference of the entity): {reference}"
    yield f"Entity: {ids.get(ENTITY) or 'ID not known to us'}"
    if row.resource_kind is ResourceKind.STATUS and (payload := row.wanted or row.sent):
        yield f"Status we sent: {payload['status']}"
    if row.remote_id and row.name != ENTITY:
        yield f"ID, as far as we know: {row.remote_id}"
    for name in dict.fromkeys(referenced_names(row.sent or row.wanted)):
        yield f"Refers to the {name[0].replace('_', ' ')} {ids.get(name) or 'whose ID we do not know'}"
    if row.reason == Reason.UNSUPPORTED:
        yield _wanted_change(row)


def _wanted_change(row: Delivery) -> str:
    """Describe the wanted change by the names of its members, never by their values."""
    if row.wanted is None:
        return "Please remove it."
    if row.acknowledged is None:
        names = bodies.full_body(row.resource_kind, row.wanted)
        change = "Please add it, with"
    else:
        names = bodies.changed_members(row.resource_kind, row.acknowledged, row.wanted)
        change = "Changed"
    if not names:
        return "It should match what we last sent."
    return f"{change}: {', '.join(names)}"


def _calls(row: Delivery) -> Iterator[str]:
    attempts = sorted(row.calls.all(), key=lambda attempt: attempt.pk)
    if not attempts:
        return
    yield "What we sent (times in UTC):"
    for attempt in attempts:
        parts = [outcome_words(attempt)]
        if attempt.status:
            parts.append(f"status {attempt.status}")
        if attempt.request_id:
            parts.append(f"X-Request-Id {attempt.request_id}")
        if attempt.key:
            parts.append(f"Idempotency-Key {attempt.key}")
        yield f"- {attempt.started_at.astimezone(UTC):%Y-%m-%d %H:%M:%S}: {'; '.join(parts)}"
    yield ""


def _lookups(row: Delivery) -> Iterator[str]:
    lookups = sorted(row.lookups.all(), key=lambda lookup: lookup.pk)
    if not lookups:
        return
    yield "What we found in your records since:"
    for lookup in lookups:
        matches = "no match"
        if lookup.matches:
            matches = f"possible match: {', '.join(map(str, lookup.matches))}"
        records = "1 record" if lookup.records == 1 else f"{lookup.records} records"
        line = f"- {lookup.looked_at.astimezone(UTC):%Y-%m-%d %H:%M:%S}: {records}, {matches}"
        if lookup.request_id:
            line += f"; X-Request-Id {lookup.request_id}"
        yield line
    yield ""


def _questions(row: Delivery) -> tuple[str, ...]:
    if row.is_transition and row.reason in (Reason.UNCLEAR, Reason.STATE_CONFLICT):
        return (
            "1. What is the entity’s status on your side, and since when?",
            "2. Was it set by one of these calls or by your staff?",
            "3. If this status is final, please tell us why. If not, when can we send this again?",
        )
    if row.reason in (Reason.UNCLEAR, Reason.AMBIGUOUS):
        return (
            "1. Did any of these calls create a record? If so, what is its ID?",
            "2. If several were created, what are their IDs? Please keep one, remove the others and tell us which.",
            "3. If none was created, could one of these calls still create one?",
        )
    if row.reason == Reason.DUPLICATE:
        return (
            "1. Which records did these calls create? What are their IDs?",
            "2. Please keep one, remove the others and tell us which.",
        )
    if row.reason == Reason.UNSUPPORTED:
        return (
            "1. We have no call for this. Can you make the change on your side?",
            "2. How can we send you the values?",
        )
    return (
        "1. What is its status on your side?",
        "2. What needs to happen so that it matches our side?",
    )
